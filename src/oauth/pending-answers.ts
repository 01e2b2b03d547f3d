/** Keeps the answers of providers, such as new tokens, until they are stored. */

import { withTimeout } from '../base/with-timeout.js'
import { isVaultError, StorageUnavailableError } from '../errors.js'
import type { Lease } from './lease.js'

/** The answers that this process has not stored yet: at most one for each grant. */
export interface PendingAnswers {
  /**
   * Calls `write` until it resolves, or rejects with an error that a retry cannot change. The lease
   * is renewed before each retry, so that no other process uses the spent refresh token. The pauses
   * grow to a tenth of `leaseMs`. They keep the process running, because an answer is lost when its
   * process ends.
   * @param key - Identifies the grant.
   * @param write - Resolves with false if the answer is no longer needed. If an attempt takes
   * longer than a fifth of `leaseMs`, it goes on while the next one begins.
   * @param onLate - Called with a StorageUnavailableError (503) after `leaseMs`. The attempts go on.
   * @returns The result of `write`.
   */
  store(
    key: string,
    lease: Lease,
    write: () => Promise<boolean>,
    onLate: (error: Error) => void,
  ): Promise<boolean>
  /**
   * Resolves when no answer for a grant is pending.
   * @throws StorageUnavailableError (503) if one is pending for longer than `leaseMs`.
   */
  wait(key: string): Promise<void>
}

const firstPauseMs = 20

/** Creates an empty set of answers. */
export function createPendingAnswers(leaseMs: number): PendingAnswers {
  /** For each grant with a pending answer, the promise that calls wait for. */
  const waits = new Map<string, Promise<void>>()

  async function repeat(
    lease: Lease,
    write: () => Promise<boolean>,
    onFailure: (error: unknown) => void,
  ): Promise<boolean> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, leaseMs / 10)) {
      try {
        return await withTimeout(write(), leaseMs / 5, slowStoreError)
      } catch (error) {
        if (!canPass(error)) throw error
        onFailure(error)
      }
      const ms = (pauseMs * (1 + Math.random())) / 2
      await new Promise((resolve) => setTimeout(resolve, ms))
      await lease.renew()
    }
  }

  return {
    async store(key, lease, write, onLate) {
      let cause: unknown
      const stored = repeat(lease, write, (error) => {
        cause = error
      })
      const message = 'the provider has answered, but its answer cannot be stored yet'
      const lateError = () => new StorageUnavailableError(message, { cause })
      const wait = withTimeout(stored.then(ignore, ignore), leaseMs, lateError)
      wait.catch(onLate)
      waits.set(key, wait)
      try {
        return await stored
      } finally {
        if (waits.get(key) === wait) waits.delete(key)
      }
    },

    wait: async (key) => waits.get(key),
  }
}

/** Returns true if retrying the write may succeed after this error. */
function canPass(error: unknown): boolean {
  return isVaultError(error) && (error.status >= 500 || [409, 412, 429].includes(error.status))
}

function slowStoreError(): StorageUnavailableError {
  return new StorageUnavailableError('the store did not respond in time')
}

function ignore(): void {}
