/** Remembers for some seconds which rings were refused, so that a damaged one does not cost a call of the provider each time. */

import { DecryptionError } from '../../../errors.js'
import type { StoredRecord } from '../../../store.js'
import { isSameBytes, maxRingBytes } from './key-ring.js'

/** Milliseconds for which a ring that was refused is refused without a look at it. */
const refusalMs = 5_000
/** How many scopes are remembered; the one that was refused first goes first. */
const maxRefusals = 4096

interface Refusal {
  readonly version: number
  /** SHA-256 of the ring's bytes. */
  readonly digest: Uint8Array
  /** By `performance.now()`. */
  readonly since: number
}

/** Runs `verify` on a stored ring, or throws the DecryptionError of its last run on the same bytes. */
export type RefuseRings = <Ring>(
  scope: string,
  stored: StoredRecord,
  verify: () => Promise<Ring>,
) => Promise<Ring>

/** Nothing is remembered of a ring that verified, nor of any other failure than a DecryptionError. */
export function createRefusedRings(): RefuseRings {
  const refusals = new Map<string, Refusal>()

  const isRefused = async (scope: string, { version, body }: StoredRecord): Promise<boolean> => {
    const refusal = refusals.get(scope)
    if (refusal === undefined) return false
    if (performance.now() - refusal.since < refusalMs && refusal.version === version)
      return isSameBytes(refusal.digest, await digestOf(body))
    refusals.delete(scope)
    return false
  }
  return async (scope, stored, verify) => {
    if (stored.body.length > maxRingBytes) throw new DecryptionError()
    if (await isRefused(scope, stored)) throw new DecryptionError()
    try {
      return await verify()
    } catch (error) {
      if (error instanceof DecryptionError) {
        const digest = await digestOf(stored.body)
        refusals.delete(scope)
        refusals.set(scope, { version: stored.version, digest, since: performance.now() })
        const oldest = refusals.keys().next()
        if (refusals.size > maxRefusals && !oldest.done) refusals.delete(oldest.value)
      }
      throw error
    }
  }
}

async function digestOf(body: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(body)))
}
