/** Refreshes or revokes a grant while holding its lease, and stores the provider's answer. */

import { reconnectRequiredError } from '../base/fixed-errors.js'
import { redactError } from '../base/redact-error.js'
import { ConflictError, InvalidInputError, RuleError, StorageUnavailableError } from '../errors.js'
import type { CheckedGrants, CheckedRows, FoundGrant } from './grant-source.js'
import type { Lease, Leases } from './lease.js'
import type { PendingAnswers } from './pending-answers.js'
import type { TokenSet } from './stored-grant.js'
import { findToken, hasTokens, isTokenSet, type StoredGrant, toGrant } from './stored-grant.js'
import type { KeeperSettings, RevokeToken } from './token-keeper-options.js'

/** The grant to refresh, and the token that must not be returned. */
interface RefreshRequest<Ref> {
  /** The key of the grant. */
  readonly key: string
  readonly ref: Ref
  /** The token that an API has rejected. */
  readonly rejected: string | undefined
  /** Its `issuedAt`. */
  readonly rejectedAt: number | undefined
}

/** The refreshes of a keeper. */
export interface Refreshes<Ref> {
  /**
   * Refreshes a grant, or waits until another process has done so. Rejects if the provider's answer
   * cannot be stored in time.
   */
  start(request: RefreshRequest<Ref>): Promise<string>
  /**
   * Calls `revoke` with the token of a grant, and removes its tokens. Rejects if their removal
   * cannot be stored in time.
   */
  revoke(key: string, ref: Ref, revoke: RevokeToken): Promise<void>
  /** Resolves when all refreshes have ended, including those whose calls were rejected before. */
  settle(): Promise<void>
}

/** The parts of a keeper. */
interface KeeperParts<Ref, By, Found extends FoundGrant> {
  readonly settings: KeeperSettings<Ref, By, Found>
  readonly grants: CheckedGrants<Ref, By, Found>
  readonly leases: Leases
  readonly answers: PendingAnswers
}

/** Creates the refreshes of a keeper. */
export function createRefreshes<Ref, By, Found extends FoundGrant>({
  settings,
  grants,
  leases,
  answers,
}: KeeperParts<Ref, By, Found>): Refreshes<Ref> {
  const { marginMs, leaseMs, now } = settings
  const running = new Set<Promise<void>>()

  /** Waits for a lease until this or another process has refreshed the grant. */
  async function refreshGrant(
    request: RefreshRequest<Ref>,
    onLate: (error: Error) => void,
  ): Promise<string> {
    const { key, ref } = request
    const deadline = performance.now() + 3 * leaseMs
    let token: string | undefined
    while (token === undefined) {
      const lease = await leases.acquire(key, deadline)
      token =
        lease === undefined
          ? find((await grants.rows.read(ref)).grant, request)
          : await refreshHeld(lease, request, onLate)
    }
    return token
  }

  /** Returns the token of a grant, or undefined if it must be refreshed. */
  function find(
    grant: StoredGrant,
    { key, rejected, rejectedAt }: Omit<RefreshRequest<Ref>, 'ref'>,
  ): string | undefined {
    return findToken(grant, { key, rejected, rejectedAt, marginMs, now: now().getTime() })
  }

  /**
   * Refreshes a grant whose lease is held.
   * @returns Undefined if the lease is lost, or another holder stored its tokens first.
   */
  async function refreshHeld(
    lease: Lease,
    { key, ref, rejected, rejectedAt }: RefreshRequest<Ref>,
    onLate: (error: Error) => void,
  ): Promise<string | undefined> {
    let isUncertain = lease.isUncertain
    let isDoubted = false
    let isLost = false

    /**
     * Asks the provider and stores its answer.
     * @returns The token. Undefined if another holder stored its tokens first, or if the grant must
     * be refreshed again because `isDoubted`.
     * @throws ConflictError if the lease is lost.
     */
    async function refresh(
      rows: CheckedRows<Ref, Found>,
      found: Found,
    ): Promise<string | undefined> {
      const store = (change: ChangeGrant): Promise<boolean> =>
        answers.store(key, lease, () => changeGrant(rows, ref, change), onLate)
      const { accessToken, refreshToken: spent } = found.grant
      const issuedAt = now()
      if (!(await lease.startCall())) {
        isLost = true
        throw new ConflictError('another process is refreshing the grant')
      }
      const isRetried = isUncertain
      isUncertain = true
      const tokens = spent === '' ? false : await requestTokens(ref, found)
      if (tokens !== false) {
        const issued = toGrant(tokens, issuedAt, found.grant)
        const isWritten = await store((stored) => {
          // An attempt that seemed to fail did store them.
          if (hasTokens(stored, issued)) return true
          if (stored.refreshToken !== spent) return false
          // The provider has refused another holder, so it may have revoked these tokens by now.
          return stored.status === 'reconnect' ? { ...issued, status: 'uncertain' } : issued
        })
        isUncertain = false
        if (isWritten && tokens.accessToken === rejected)
          throw reconnectRequiredError(key, 'rejected')
        return isWritten ? tokens.accessToken : undefined
      }
      const refusedReason = isRetried ? 'interrupted' : 'refused'
      const reason = spent === '' ? 'expired' : refusedReason
      const isRefused = await store((stored) => {
        const isSame = stored.refreshToken === spent && stored.accessToken === accessToken
        return isSame && { ...stored, status: 'reconnect', reason }
      })
      if (isRefused) {
        isUncertain = false
        throw reconnectRequiredError(key, reason)
      }
      // The grant was saved again. Another holder has stored newer tokens, but the provider may
      // have revoked them when it saw the spent token again. Refreshing the newer ones shows
      // whether it has. Without a refresh token there is nothing to doubt.
      isDoubted = spent !== ''
      return undefined
    }

    try {
      for (;;) {
        // Read again, because another process may have refreshed the grant just before this lease.
        const found = await grants.rows.read(ref)
        const { grant } = found
        const token = find(
          grant,
          isDoubted
            ? { key, rejected: grant.accessToken, rejectedAt: grant.issuedAt }
            : { key, rejected, rejectedAt },
        )
        if (token !== undefined) {
          isUncertain = false
          return token
        }
        assertWritable(found)
        isDoubted = false
        const refreshed = await grants.refresh(ref, found, (rows) => refresh(rows, found))
        if (!isDoubted) return refreshed
      }
    } catch (error) {
      if (isLost) return undefined
      throw error
    } finally {
      await lease.release(isUncertain ? 'uncertain' : 'free')
    }
  }

  /** Waits for the lease of a grant, revokes it, and removes its tokens. */
  async function revokeGrant(
    key: string,
    ref: Ref,
    revoke: RevokeToken,
    onLate: (error: Error) => void,
  ): Promise<void> {
    const deadline = performance.now() + 3 * leaseMs
    let lease: Lease | undefined
    while (lease === undefined) lease = await leases.acquire(key, deadline)
    let { isUncertain } = lease
    try {
      const found = await grants.rows.read(ref)
      assertWritable(found)
      const { accessToken, refreshToken } = found.grant
      const token = refreshToken || accessToken
      if (token === '') return
      await grants.refresh(ref, found, async (rows) => {
        if (!(await lease.startCall()))
          throw new ConflictError('another process is refreshing the grant')
        isUncertain = true
        await callProvider('revoked the grant', (signal) => revoke(token, { signal }))
        await answers.store(
          key,
          lease,
          () =>
            changeGrant(rows, ref, (stored) => {
              const isSame =
                stored.refreshToken === refreshToken && stored.accessToken === accessToken
              return isSame && toRevoked(stored)
            }),
          onLate,
        )
        isUncertain = false
      })
    } finally {
      await lease.release(isUncertain ? 'uncertain' : 'free')
    }
  }

  async function requestTokens(ref: Ref, found: Found): Promise<TokenSet | false> {
    const tokens: unknown = await callProvider('issued tokens', (signal) =>
      settings.refresh(found.grant.refreshToken, { ref, found, signal }),
    )
    if (tokens === false || isTokenSet(tokens)) return tokens
    throw new RuleError('refresh must resolve with an object with accessToken, or with false')
  }

  /**
   * Calls a function that sends a request to the provider.
   * @param done - What the provider did if the function resolves.
   * @throws StorageUnavailableError if the function fails.
   */
  async function callProvider(
    done: string,
    call: (signal: AbortSignal) => Promise<unknown>,
  ): Promise<unknown> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(refreshTimeoutError()), (leaseMs * 2) / 3)
    try {
      return await call(controller.signal)
    } catch (error) {
      throw new StorageUnavailableError(`the provider may not have ${done}`, {
        cause: redactError(error),
      })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs a refresh or a revocation to its end, even if its call is rejected before. */
  function run<Result>(work: (onLate: (error: Error) => void) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = work(reject)
        .then(resolve, reject)
        .finally(() => running.delete(end))
      running.add(end)
    })
  }

  return {
    start: (request) => run((onLate) => refreshGrant(request, onLate)),
    revoke: (key, ref, revoke) => run((onLate) => revokeGrant(key, ref, revoke, onLate)),
    async settle() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** @throws InvalidInputError if the grant must not be changed. */
function assertWritable({ readOnly }: FoundGrant): void {
  if (readOnly === true)
    throw InvalidInputError.at('ref', 'is read-only, so its tokens cannot be changed')
}

/** Returns a grant without its tokens. */
function toRevoked(grant: StoredGrant): StoredGrant {
  return { ...grant, accessToken: '', refreshToken: '', status: 'reconnect', reason: 'revoked' }
}

/** Returns the grant to store, or, if it must not change, the result of the change. */
type ChangeGrant = (stored: StoredGrant) => StoredGrant | boolean

/**
 * Writes the grant that `change` returns, once, over the version that it was called with.
 * @returns The result of `change` if it is a boolean, and true otherwise.
 * @throws ConflictError if a different version is stored by now.
 */
async function changeGrant<Ref, Found extends FoundGrant>(
  rows: CheckedRows<Ref, Found>,
  ref: Ref,
  change: ChangeGrant,
): Promise<boolean> {
  const { grant, version } = await rows.read(ref)
  const changed = change(grant)
  if (typeof changed === 'boolean') return changed
  if (await rows.replace(ref, changed, version)) return true
  throw new ConflictError('the grant was changed meanwhile')
}

/** Creates the error of a call to the provider that took too long. */
export function refreshTimeoutError(): StorageUnavailableError {
  return new StorageUnavailableError('the call to the provider took too long')
}
