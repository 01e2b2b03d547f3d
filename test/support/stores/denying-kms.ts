/** A key management service that can deny scopes, and the passing of time while it is asked. */

import { vi } from 'vitest'
import type { KeyProvider } from '../../../src/storage/encrypted.js'
import { utf8 } from '../bytes.js'
import { createKeys } from './encrypted-stores.js'

/** A provider that fails for the scopes in `denied`, and counts the calls of `unwrap`. */
export function createDenyingKms() {
  const keys = createKeys()
  const denied = new Set<string>()
  const unwrapped: string[] = []
  const provider: KeyProvider = {
    ...keys,
    async unwrap(kekId, wrapped, context) {
      unwrapped.push(context.scope)
      if (denied.has(context.scope)) throw new Error('AccessDenied')
      return keys.unwrap(kekId, wrapped, context)
    },
  }
  return { provider, denied, unwrapped }
}

/** Lets time pass, then lets what has begun meanwhile end: it takes turns of the thread pool. */
export async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let turn = 0; turn < 10; turn++) {
    await crypto.subtle.digest('SHA-256', utf8('x') as Uint8Array<ArrayBuffer>)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
