/** Keeps the tokens of OAuth grants in items, and refreshes them once, however many processes ask. */

import { anyFunction, anyStore, callback, like, limit, number, text } from '../base/argument.js'
import { deriveId } from '../base/derive-id.js'
import { closeCalls, countCall, type OpenCalls } from '../base/open-calls.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { redactError } from '../base/redact-error.js'
import { withTimeout } from '../base/with-timeout.js'
import type { Caller } from '../core/access/caller.js'
import { assertService, inProcess } from '../core/assert-service.js'
import type { GrantSteps } from '../core/managed/refresh-grant.js'
import type { MakeDraft } from '../core/managed/save-item.js'
import { takeTokenMethod } from '../core/managed/take-token.js'
import type { VaultService } from '../core/vault-service.js'
import {
  ConflictError,
  InvalidInputError,
  ReconnectRequiredError,
  RuleError,
  StorageUnavailableError,
} from '../errors.js'
import type { RecordedCredential } from '../schema/activity-entry.js'
import type { ItemRef } from '../schema/ids.js'
import type { ItemSummary } from '../schema/item.js'
import type { RecordStore } from '../store.js'
import {
  checkGrant,
  type Grant,
  type GrantName,
  type GrantValues,
  hasTokens,
  isTokenSet,
  isUsable,
  type NewGrant,
  parseGrant,
  type TokenSet,
  toDraft,
  toPatch,
  toTokenValues,
} from './grant.js'
import { createLeases, type Lease } from './lease.js'
import { createPendingAnswers } from './pending-answers.js'

/** The grant that is refreshed. */
export interface TokenRefresh extends GrantName {
  /** The item of the grant. */
  readonly item: ItemSummary
  /** Aborts after two thirds of `leaseMs`. Pass it to `fetch`. */
  readonly signal: AbortSignal
}

/** Options of `createTokenKeeper`. */
export interface TokenKeeperOptions {
  /**
   * Where the processes agree on who refreshes a grant: the records of any store that all of them
   * share, such as `store.records`. One record for each grant, in the collection `leases`. No
   * tokens are stored in it.
   */
  readonly leases: RecordStore
  /** The keeper's own identity, which reads and writes the items. */
  readonly caller: Caller
  /**
   * Requests new tokens from the provider, once. Resolves with false if the provider answers that
   * the grant is gone, `invalid_grant`. A rejection means that this is unknown: the grant is kept.
   */
  refresh(refreshToken: string, use: TokenRefresh): Promise<TokenSet | false>
  /**
   * A token is refreshed this many milliseconds before it expires, or after half of its lifetime if
   * that is later: 0 or more, Infinity for always half; 60,000 by default.
   */
  readonly marginMs?: number | undefined
  /**
   * The time in milliseconds after which a process that does not finish a refresh is considered
   * dead: 100 to 600,000; 15,000 if absent. The same in all processes.
   */
  readonly leaseMs?: number | undefined
}

const keeperOptions = defineOptions({
  leases: like(anyStore.records),
  caller: like({ id: '', can: anyFunction }),
  refresh: callback(),
  marginMs: optional(limit({ min: 0 }), 60_000),
  leaseMs: optional(number({ min: 100, max: 600_000 }), 15_000),
} satisfies OptionKinds<TokenKeeperOptions>)

/** Options of `accessToken`. */
export interface AccessTokenOptions {
  /**
   * An access token that the API has rejected. It is refreshed, although it has not expired, and
   * never returned.
   */
  readonly rejected?: string | undefined
}

const accessTokenOptions = defineOptions({
  rejected: optional(text()),
} satisfies OptionKinds<AccessTokenOptions>)

/** Keeps the tokens of OAuth grants. */
export interface TokenKeeper {
  /**
   * Saves a grant under its name and account in an item of the vault. Saving again replaces the
   * tokens, and keeps everything else of the item.
   * @returns The ids of the item. They are the same for the same vault, name and account.
   * @throws InvalidInputError (400) if the name or the access token is not a non-empty string, or the
   * item is archived; TypeError if the grant is not an object or has an unknown member; and the
   * errors of `createItem` and `replaceItem`. The keeper's caller needs `read` and `write` for the
   * operation `saveGrant`.
   */
  save(vaultId: string, grant: NewGrant): Promise<ItemRef>
  /**
   * Returns an access token that has not expired, refreshed if it has to be. Processes that ask at
   * the same time wait for one refresh. Each call is recorded in the activity log as `useField` of the
   * caller, without `use`, before it returns the token, and each refresh as `refreshGrant` of the
   * keeper's caller, who needs `read` and `write` for that operation.
   * @param caller - Needs `read` for the operation `useField` on the item.
   * @throws ReconnectRequiredError (409) if the grant can no longer be refreshed, or if the provider
   * has issued the rejected token again: `reason` is `rejected` then, and the grant is kept.
   * @throws StorageUnavailableError (503) if the provider did not answer, or another process has not
   * finished its refresh in three times `leaseMs`, or the provider's answer cannot be stored: the
   * keeper then stores it when the store works again. Later calls can succeed.
   * @throws RuleError (500) if `refresh` resolves with anything but tokens or false.
   * @throws UnauthorizedError (401), ForbiddenError (403), NotFoundError (404), InvalidInputError
   * (400) if the item has no grant, or if it is archived and the token has expired; StorageError;
   * ActivityUnavailableError (503) if the call cannot be recorded.
   */
  accessToken(
    caller: Caller | undefined,
    ref: ItemRef,
    options?: AccessTokenOptions,
  ): Promise<string>
  /**
   * Refuses new calls with StorageUnavailableError (503), and resolves when the calls in progress
   * have settled and all tokens that providers have issued are stored. While the store fails, this
   * waits for it. Call it before you close the service, which waits for a refresh that has begun but
   * begins no other one.
   */
  close(): Promise<void>
}

/**
 * Creates a keeper of OAuth tokens. The keepers of all processes that use a grant must share the
 * store of the service and that of the leases.
 * @throws TypeError if an argument has the wrong type, or an option is unknown.
 * @throws RangeError if a number is out of its range.
 */
export function createTokenKeeper(service: VaultService, options: TokenKeeperOptions): TokenKeeper {
  const executing = assertService(service, { options })
  const settings = keeperOptions.read(options)
  const { marginMs, leaseMs } = settings
  const leases = createLeases(settings.leases, leaseMs)
  const answers = createPendingAnswers(leaseMs)
  const calls: OpenCalls = { owner: 'the token keeper', count: 0 }
  /** The refreshes that calls of this process wait for. */
  const refreshes = new Map<string, Promise<string>>()
  /** The refreshes that go on after their calls were rejected. */
  const lateRefreshes = new Set<Promise<void>>()

  const loadGrant = async (ref: ItemRef): Promise<Grant> =>
    parseGrant(await executing.execute('loadGrant', inProcess(settings.caller, ref)))

  /**
   * Returns the token of a grant; undefined if it must be refreshed.
   * @param rejectedAt - The `issuedAt` of the token that was rejected.
   * @throws ReconnectRequiredError
   */
  function findToken(
    grant: Grant,
    rejected: string | undefined,
    rejectedAt = grant.issuedAt,
  ): string | undefined {
    const { item, accessToken, issuedAt, status, reason } = grant
    if (status === 'reconnect') throw new ReconnectRequiredError(item.id, reason)
    if (!isUsable(grant, service.now().getTime(), marginMs)) return undefined
    if (accessToken !== rejected) return accessToken
    // Another process has refreshed the grant meanwhile.
    if (!Object.is(issuedAt, rejectedAt)) throw new ReconnectRequiredError(item.id, 'rejected')
    return undefined
  }

  /** Returns a token that has not expired, refreshed in one call for all callers of this process. */
  async function loadToken(ref: ItemRef, rejected: string | undefined): Promise<string> {
    await answers.wait(keyOf(ref))
    const grant = await loadGrant(ref)
    const token = findToken(grant, rejected)
    if (token !== undefined) return token
    const key = JSON.stringify([ref.vaultId, ref.itemId, rejected])
    const refresh =
      refreshes.get(key) ??
      withTimeout(startRefresh(ref, rejected, grant.issuedAt), 3 * leaseMs, timeoutError).finally(
        () => refreshes.delete(key),
      )
    refreshes.set(key, refresh)
    return refresh
  }

  /** Refreshes a grant. Rejects while the answer of the provider cannot be stored. */
  function startRefresh(
    ref: ItemRef,
    rejected: string | undefined,
    rejectedAt: number,
  ): Promise<string> {
    return new Promise((resolve, reject) => {
      const onLate = (error: Error): void => {
        lateRefreshes.add(end)
        reject(error)
      }
      const end = refreshGrant(ref, rejected, rejectedAt, onLate)
        .then(resolve, reject)
        .finally(() => lateRefreshes.delete(end))
    })
  }

  /** Waits for a lease until this or another process has refreshed the grant. */
  async function refreshGrant(
    ref: ItemRef,
    rejected: string | undefined,
    rejectedAt: number,
    onLate: (error: Error) => void,
  ): Promise<string> {
    const deadline = performance.now() + 3 * leaseMs
    let token: string | undefined
    while (token === undefined) {
      const lease = await leases.acquire(ref, deadline)
      token =
        lease === undefined
          ? findToken(await loadGrant(ref), rejected, rejectedAt)
          : await refreshHeld(lease, ref, rejected, rejectedAt, onLate)
    }
    return token
  }

  /**
   * Refreshes a grant whose lease is held.
   * @returns Undefined if the lease is lost, or if another holder has stored its tokens first.
   */
  async function refreshHeld(
    lease: Lease,
    ref: ItemRef,
    rejected: string | undefined,
    rejectedAt: number,
    onLate: (error: Error) => void,
  ): Promise<string | undefined> {
    let isUncertain = lease.isUncertain
    let isDoubted = false
    let isLost = false

    /**
     * Asks the provider and stores its answer.
     * @returns The token; undefined if another holder has stored its tokens first, or if the grant
     * shall be refreshed again, because `isDoubted`.
     * @throws ConflictError if the lease is lost.
     */
    async function refresh(steps: GrantSteps, grant: Grant): Promise<string | undefined> {
      const store = (toValues: ToValues): Promise<boolean> =>
        answers.store(keyOf(ref), lease, () => changeGrant(steps, toValues), onLate)
      const { accessToken, refreshToken: spent } = grant
      const issuedAt = service.now()
      if (!(await lease.startCall())) {
        isLost = true
        throw new ConflictError('another process refreshes the grant')
      }
      const isRetried = isUncertain
      isUncertain = true
      const tokens = spent === '' ? false : await callProvider(grant)
      if (tokens !== false) {
        const values = toTokenValues(tokens, issuedAt, spent)
        const isWritten = await store((now) => {
          // An attempt that seemed to fail has stored them.
          if (hasTokens(now, values)) return true
          if (now.refreshToken !== spent) return false
          // Another holder has been refused: by now, the provider can have revoked these tokens.
          return now.status === 'reconnect' ? { ...values, status: 'uncertain' } : values
        })
        isUncertain = false
        if (isWritten && tokens.accessToken === rejected)
          throw new ReconnectRequiredError(ref.itemId, 'rejected')
        return isWritten ? tokens.accessToken : undefined
      }
      const refusedReason = isRetried ? 'interrupted' : 'refused'
      const reason = spent === '' ? 'expired' : refusedReason
      const isRefused = await store((now) => {
        const isSame = now.refreshToken === spent && now.accessToken === accessToken
        return isSame && { status: 'reconnect', reason }
      })
      if (isRefused) {
        isUncertain = false
        throw new ReconnectRequiredError(ref.itemId, reason)
      }
      // The grant was saved again. Another holder has stored newer tokens, but the provider can have
      // revoked them when it saw the spent one again. A refresh of the newer ones shows it. Without a
      // refresh token there is nothing to doubt.
      isDoubted = spent !== ''
      return undefined
    }

    try {
      for (;;) {
        // Read again: another process can have refreshed the grant just before this lease.
        const grant = await loadGrant(ref)
        const token = isDoubted
          ? findToken(grant, grant.accessToken)
          : findToken(grant, rejected, rejectedAt)
        if (token !== undefined) {
          isUncertain = false
          return token
        }
        if (grant.item.state === 'ARCHIVED')
          throw InvalidInputError.at('itemId', 'is archived, so its tokens cannot be refreshed')
        isDoubted = false
        const input = { ...ref, refresh: (steps: GrantSteps) => refresh(steps, grant) }
        const request = { ...inProcess(settings.caller, input), credential: toCredential(grant) }
        const refreshed = await executing.execute('refreshGrant', request)
        if (!isDoubted) return refreshed
      }
    } catch (error) {
      if (isLost) return undefined
      throw error
    } finally {
      await lease.release(isUncertain ? 'uncertain' : 'free')
    }
  }

  async function callProvider({
    item,
    name,
    account,
    refreshToken,
  }: Grant): Promise<TokenSet | false> {
    const { sections: _, fields: _fields, files: _files, ...summary } = item
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(timeoutError()), (leaseMs * 2) / 3)
    try {
      const use = { item: summary, name, account, signal: controller.signal }
      const tokens: unknown = await settings.refresh(refreshToken, use)
      if (tokens === false || isTokenSet(tokens)) return tokens
    } catch (error) {
      throw new StorageUnavailableError('the provider has issued no tokens', {
        cause: redactError(error),
      })
    } finally {
      clearTimeout(timer)
    }
    throw new RuleError('refresh must resolve with an object with accessToken, or with false')
  }

  async function saveNewGrant(vaultId: string, grant: NewGrant): Promise<ItemRef> {
    checkGrant(grant)
    const { name, account = '' } = grant
    const itemId = await deriveId(['grant', vaultId, name, account])
    const ref = { vaultId, itemId }
    const values = toTokenValues(grant, service.now(), '')
    const make: MakeDraft = (before) => toDraft(vaultId, grant, values, before)
    const request = inProcess(settings.caller, { ...ref, make })
    await executing.execute('saveGrant', { ...request, credential: toCredential(grant) })
    return ref
  }

  let closing: Promise<void> | undefined
  const keeper: TokenKeeper & { [takeTokenMethod](ref: ItemRef): Promise<string> } = {
    save: (vaultId, grant) => countCall(calls, () => saveNewGrant(vaultId, grant)),

    async accessToken(caller, ref, callOptions = {}) {
      anyItemRef(ref, 'ref')
      const { rejected } = accessTokenOptions.read(callOptions)
      const ids = { vaultId: ref.vaultId, itemId: ref.itemId }
      const takeToken = () => loadToken(ids, rejected)
      const request = inProcess(caller, { ...ids, takeToken })
      return countCall(calls, () => executing.execute('useSecret', request))
    },

    [takeTokenMethod]: (ref: ItemRef) => countCall(calls, () => loadToken(ref, undefined)),

    close() {
      closing ??= (async () => {
        await closeCalls(calls)
        while (lateRefreshes.size > 0) await Promise.all(lateRefreshes)
      })()
      return closing
    },
  }
  return keeper
}

const anyItemRef = like({ vaultId: '', itemId: '' })

/** The values that an item shall get; if it shall not change, the result of the change. */
type ToValues = (grant: Grant) => GrantValues | boolean

/**
 * Writes the values that `toValues` returns, once, over the version that it was called with.
 * @returns The result of `toValues` if it is a boolean, and true otherwise.
 */
async function changeGrant(steps: GrantSteps, toValues: ToValues): Promise<boolean> {
  const grant = parseGrant(await steps.load())
  const values = toValues(grant)
  if (typeof values === 'boolean') return values
  await steps.patch(grant.item, toPatch(grant.item, values))
  return true
}

/** Returns the name and the account of a grant. */
function toCredential({ name, account }: GrantName): RecordedCredential {
  return { name, ...(account !== undefined && { account }) }
}

function keyOf({ vaultId, itemId }: ItemRef): string {
  return `${vaultId}/${itemId}`
}

function timeoutError(): StorageUnavailableError {
  return new StorageUnavailableError('the refresh of the tokens has taken too long')
}
