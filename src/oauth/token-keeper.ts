/** Keeps the tokens of OAuth grants, and refreshes each once, even when many processes ask. */

import { callback } from '../base/argument.js'
import { type Closable, toClosable } from '../base/closable.js'
import { closeCalls, countCall, type OpenCalls } from '../base/open-calls.js'
import { withTimeout } from '../base/with-timeout.js'
import { takeTokenMethod } from '../core/connections/take-token.js'
import { checkGrants, type FoundGrant } from './grant-source.js'
import { createLeases } from './lease.js'
import { createPendingAnswers } from './pending-answers.js'
import { createRefreshes, refreshTimeoutError } from './refreshes.js'
import { findToken, type GrantState, toState } from './stored-grant.js'
import {
  type AccessTokenOptions,
  accessTokenOptions,
  type RevokeToken,
  readKeeperOptions,
  type TokenKeeperOptions,
} from './token-keeper-options.js'

/**
 * Keeps the tokens of OAuth grants.
 * @typeParam Ref - Identifies a grant, such as `ItemRef` for a grant in an item.
 * @typeParam By - Who uses a token: the caller for a grant in an item.
 */
export interface TokenKeeper<Ref, By = void> extends Closable {
  /**
   * Returns an access token that has not expired, and refreshes it first if necessary. Processes
   * that ask at the same time wait for one refresh.
   *
   * For a grant in an item, the activity log records each call before it returns the token, as
   * `useField` of the caller without `use`. It records each refresh as `refreshGrant` of the
   * keeper's caller, who needs `read` and `write` for that operation.
   * @param by - Passed to the source's `aroundUse`. For a grant in an item, it is the caller, who
   * needs `read` for the operation `useField` on it.
   * @throws ReconnectRequiredError (409) if the grant can no longer be refreshed, or the provider
   * issued the rejected token again. In the second case `reason` is `rejected`, and the grant is
   * kept.
   * @throws StorageUnavailableError (503) if the provider did not answer, another process did not
   * finish its refresh within 3 × `leaseMs`, or the provider's answer cannot be stored. In the last
   * case the keeper stores it when the store works again. Later calls may succeed.
   * @throws RuleError (500) if `refresh` resolves with anything but tokens or false, or if a
   * function of the source fails or returns an invalid result. The message does not repeat that
   * error's message.
   * @throws NotFoundError (404) if the grant does not exist.
   * @throws InvalidInputError (400) if the token has expired and the grant is read-only, for
   * example because its item is archived.
   * @throws UnauthorizedError (401), ForbiddenError (403), StorageError or, if the call cannot be
   * recorded, ActivityUnavailableError (503), for a grant in an item. InvalidInputError (400) if
   * the item has no grant.
   */
  accessToken(ref: Ref, by: By, options?: AccessTokenOptions): Promise<string>
  /**
   * Returns the status of a grant with its scope and times, but without its tokens. It refreshes
   * and records nothing. For a grant in an item, it needs the permissions of the keeper's caller
   * only.
   * @throws NotFoundError (404) if the grant does not exist, and the errors of the source.
   */
  status(ref: Ref): Promise<GrantState>
  /**
   * Revokes a grant, for example when a customer disconnects. It calls `revoke` while no process
   * refreshes the grant, and then removes its tokens. From then on, `accessToken` rejects with a
   * ReconnectRequiredError whose `reason` is `revoked`, until the grant is saved again. If the
   * grant has no tokens, nothing happens. The activity log records it like a refresh.
   * @throws StorageUnavailableError (503) if `revoke` rejects, or the change is not stored in time.
   * If `revoke` rejected, call this again. The keeper itself retries the change.
   * @throws NotFoundError (404) if the grant does not exist.
   * @throws InvalidInputError (400) if the grant is read-only.
   * @throws ConflictError (409) if another process has taken over its lease. Also throws the errors
   * of the source.
   */
  revoke(ref: Ref, revoke: RevokeToken): Promise<void>
  /**
   * Makes new calls fail with StorageUnavailableError (503). Resolves when the calls and refreshes
   * in progress have ended, and all issued tokens are stored. It waits while the store fails, or
   * while `refresh` does not settle after its signal aborted. Call it before you close the service
   * or the connection pool.
   */
  close(): Promise<void>
}

/**
 * Creates a keeper of OAuth tokens. All processes that use a grant must share its storage and the
 * store of the leases.
 * @throws TypeError if an option has the wrong type or is unknown.
 * @throws RangeError if a number is out of its range.
 * @example
 * const keeper = createTokenKeeper({
 *   grants: vaultGrants(service, caller),
 *   leases: store.records,
 *   refresh,
 * })
 * const token = await keeper.accessToken(ref, agent)
 */
export function createTokenKeeper<Ref, By = void, Found extends FoundGrant = FoundGrant>(
  options: TokenKeeperOptions<Ref, By, Found>,
): TokenKeeper<Ref, By> {
  const settings = readKeeperOptions(options)
  const { marginMs, leaseMs, now } = settings
  const grants = checkGrants(settings.grants)
  const answers = createPendingAnswers(leaseMs)
  const refreshes = createRefreshes({
    ...{ settings, grants, answers },
    leases: createLeases(settings.leases, leaseMs),
  })
  const calls: OpenCalls = { owner: 'the token keeper', count: 0 }
  /** The refreshes that calls of this process wait for. */
  const waiting = new Map<string, Promise<string>>()

  /** Returns a token that has not expired. All callers in this process share one refresh. */
  async function loadToken(
    key: string,
    ref: Ref,
    rejected: string | undefined,
    { read } = grants.rows,
  ): Promise<string> {
    await answers.wait(key)
    const { grant } = await read(ref)
    const rejectedAt = grant.issuedAt
    const demand = { key, now: now().getTime(), marginMs, rejected, rejectedAt }
    const token = findToken(grant, demand)
    if (token !== undefined) return token
    const name = JSON.stringify([key, rejected])
    const refreshed =
      waiting.get(name) ??
      withTimeout(
        refreshes.start({ key, ref, rejected, rejectedAt }),
        3 * leaseMs,
        refreshTimeoutError,
      ).finally(() => waiting.delete(name))
    waiting.set(name, refreshed)
    return refreshed
  }

  const keeper: TokenKeeper<Ref, By> & TokenTaker<Ref> = {
    async accessToken(ref, by, callOptions = {}) {
      const key = grants.key(ref)
      const { rejected, signal } = accessTokenOptions.read(callOptions)
      signal?.throwIfAborted()
      const token = countCall(calls, () =>
        grants.use(ref, by, (rows) => loadToken(key, ref, rejected, rows)),
      )
      return signal === undefined ? token : untilAborted(token, signal)
    },

    status: (ref) =>
      countCall(calls, async () => {
        grants.key(ref)
        return toState((await grants.rows.read(ref)).grant)
      }),

    async revoke(ref, revoke) {
      const key = grants.key(ref)
      const call = callback<RevokeToken>()(revoke, 'revoke')
      return countCall(calls, async () => {
        await answers.wait(key)
        const revoked = refreshes.revoke(key, ref, call)
        await withTimeout(revoked, 3 * leaseMs, refreshTimeoutError)
      })
    },

    [takeTokenMethod]: (ref, rejected) =>
      countCall(calls, () => loadToken(grants.key(ref), ref, rejected)),

    ...toClosable(async () => {
      await closeCalls(calls)
      await refreshes.settle()
    }),
  }
  return keeper
}

/** How the secret fetch takes a token. */
interface TokenTaker<Ref> {
  [takeTokenMethod](ref: Ref, rejected: string | undefined): Promise<string>
}

/** Settles like the promise, or rejects with the signal's reason if the signal aborts first. */
function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
