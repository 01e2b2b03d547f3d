/** Retries after lost races without delays. */

import { onTestFinished, vi } from 'vitest'

/**
 * Removes the delays between retries until the current test ends: 32 lost races take three seconds
 * otherwise. Delays are random, from zero on, so `Math.random` returns 0.
 */
export function skipBackoff(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
}
