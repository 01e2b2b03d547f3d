/** Time that passes only when nothing else happens, for tests of timeouts. */

import { onTestFinished, vi } from 'vitest'

/**
 * Replaces the timers and `performance.now()` until the test ends. Whenever everything waits for a timer,
 * the time jumps to the next one, so that tests take no time and a busy machine does not make them
 * late. Only for code in this process: the time also passes while a socket or a file is awaited.
 */
export function useVirtualTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  })
  vi.setTimerTickMode('nextTimerAsync')
  onTestFinished(() => void vi.useRealTimers())
}
