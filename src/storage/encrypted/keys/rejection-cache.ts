/**
 * Caches which key rings were rejected, so that a damaged one does not cost a provider call each.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { DecryptionError } from '../../../errors.js'
import type { StoredRecord } from '../../../store.js'
import { maxRingBytes } from './key-ring.js'

/** Milliseconds for which a rejected ring is rejected again without verification. */
const maxAgeMs = 5_000
/** The maximum number of scopes. The one that was rejected first is removed first. */
const maxEntries = 4096

interface Rejection {
  readonly version: number
  /** SHA-256 of the ring's bytes. */
  readonly digest: Uint8Array
  /** A time of `performance.now()`. */
  readonly since: number
}

/** Rings that were rejected, by scope. */
export interface RejectionCache {
  /**
   * Returns the result of `verify`. Rejects with a DecryptionError without calling it if the ring
   * exceeds 1 MiB, or if `verify` has thrown a DecryptionError for the same bytes and version less
   * than 5 s ago. Successes and other errors are not cached.
   */
  verify<Ring>(scope: string, stored: StoredRecord, verify: () => Promise<Ring>): Promise<Ring>
  /**
   * Forgets what was rejected in the scope, and everything if it is undefined. A verification that
   * has begun before does not count.
   */
  forget(scope?: string): void
}

/** Creates an empty cache. */
export function createRejectionCache(): RejectionCache {
  const rejections = new Map<string, Rejection>()
  /** Another object after each call of `forget`. */
  let forgetting = {}

  const isRejected = async (scope: string, { version, body }: StoredRecord): Promise<boolean> => {
    const rejection = rejections.get(scope)
    if (rejection === undefined) return false
    if (performance.now() - rejection.since < maxAgeMs && rejection.version === version)
      return areBytesEqual(rejection.digest, await sha256(body))
    rejections.delete(scope)
    return false
  }
  return {
    async verify(scope, stored, verify) {
      if (stored.body.length > maxRingBytes) throw new DecryptionError()
      if (await isRejected(scope, stored)) throw new DecryptionError()
      const begun = forgetting
      try {
        return await verify()
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        const digest = await sha256(stored.body)
        if (forgetting === begun) {
          rejections.delete(scope)
          rejections.set(scope, { version: stored.version, digest, since: performance.now() })
          const oldest = rejections.keys().next()
          if (rejections.size > maxEntries && !oldest.done) rejections.delete(oldest.value)
        }
        throw error
      }
    },
    forget(scope) {
      forgetting = {}
      if (scope === undefined) rejections.clear()
      else rejections.delete(scope)
    },
  }
}

/** Returns the 32 bytes of a SHA-256. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}
