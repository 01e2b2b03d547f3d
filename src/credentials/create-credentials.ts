/** Saves, shows and verifies credentials: one item for each vault, name and account. */

import { assertArgument, assertKnown, type KnownNames } from '../base/assert-argument.js'
import { withTimeout } from '../base/with-timeout.js'
import type { Caller } from '../core/access/caller.js'
import type { CallOptions } from '../core/call-options.js'
import { toDescription } from '../core/items/describe-item.js'
import { assertService } from '../core/operation/assert-service.js'
import { batchesOf } from '../core/runtime/batches.js'
import { createKeyQueue, createOptimisticRetry } from '../core/runtime/optimistic-retry.js'
import type { CallerOperations, VaultService } from '../core/vault-service.js'
import {
  ConflictError,
  CredentialRejectedError,
  DecryptionError,
  InvalidInputError,
  NotFoundError,
  PreconditionFailedError,
  type UnreadableRecord,
} from '../errors.js'
import type { ItemRef } from '../schema/ids.js'
import type { Item } from '../schema/item.js'
import {
  type CredentialCheck,
  type CredentialTarget,
  type CredentialView,
  credentialTag,
  findItemId,
  readNames,
  readValues,
  toItemDraft,
  toUnreadableView,
  toView,
} from './credential-item.js'
import {
  assertKinds,
  type CredentialKind,
  type CredentialKinds,
  type CredentialValues,
  findOrigins,
} from './credential-kind.js'
import { mergeValues } from './merge-values.js'

/** The credentials of a service. */
export interface Credentials {
  /** The names of the kinds, in their order. */
  readonly names: readonly string[]
  /** Binds the caller and the vault of every call. Nothing is checked or read until then. */
  of(caller: Caller | undefined, vaultId: string): VaultCredentials
}

/** Which of several credentials of one kind. */
export interface CredentialAccount {
  /**
   * Distinguishes credentials of one kind in one vault, such as `live` and `test`: 1 to 200
   * characters without control characters. None if absent. It is not a secret.
   */
  readonly account?: string | undefined
}

/**
 * The credentials of one vault, for one caller. Each method rejects with the errors of the
 * operations that it calls, and with these:
 * - TypeError if no kind has this name, or if `account` is not an object with the member `account`
 *   alone, so that a misspelt account never means the credential without one;
 * - InvalidInputError (400) if `account` is invalid;
 * - NotFoundError (404) if the credential does not exist, or its item is marked as deleted. A
 *   credential that does not exist can be saved.
 *
 * No error contains a value.
 */
export interface VaultCredentials {
  /**
   * Saves a credential, whether or not it exists, after `verify` of its kind has been called. An
   * absent value and an empty secret are kept; null removes an optional value. Calls `getItem`, and
   * `createItem`, `replaceItem` or both. If the item is marked as deleted, it is active afterwards
   * and none of its values is kept. If the item is damaged, so that the status is `unreadable`, every
   * required value must be given.
   * @param values The values by the ids of their fields.
   * @returns The view of what was stored. Its status is `unverified` if `verify` gave no result.
   * @throws CredentialRejectedError (422) if `verify` resolves with false. The stored values are
   * kept.
   * @throws InvalidInputError (400) if a value is missing or not a string, if a secret is the hint
   * of a view or begins or ends with blanks or line breaks, if the origins change while a secret is
   * kept, or if the item is archived.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  save(
    name: string,
    values: Readonly<Record<string, string | null | undefined>>,
    account?: CredentialAccount,
  ): Promise<CredentialView>
  /**
   * Returns the view of a credential. Calls `describeItem` alone, so no value is read. If the item is
   * damaged, the status of the view is `unreadable`.
   */
  describe(name: string, account?: CredentialAccount): Promise<CredentialView>
  /**
   * Returns the views of all credentials of the vault, ordered by name and account; empty if it has
   * none. Calls `listItems` and, for each item with the tag `credential`, `describeItem`.
   *
   * A credential whose item is damaged has the status `unreadable`, if it is one without an account.
   * Other damaged items may be credentials with an account. They are left out, and
   * `onUnreadable` is called with the error of each.
   */
  list(options?: Pick<CallOptions, 'onUnreadable'>): Promise<readonly CredentialView[]>
  /**
   * Calls `verify` of the kind and stores the result. The values, and who changed them, stay the
   * same. Without `verify`, nothing is written. Calls `getItem` and `replaceItem`.
   * @returns The view. Its status is `rejected` if `verify` resolves with false.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  verify(name: string, account?: CredentialAccount): Promise<CredentialView>
  /**
   * Returns a value. Calls `getField`.
   * @param field The id of a field of the kind.
   * @throws TypeError if the kind has no such field; NotFoundError (404) if it has no value.
   */
  reveal(name: string, field: string, account?: CredentialAccount): Promise<string>
  /** Deletes a credential permanently, even one whose item is damaged. Calls `deleteItem`. */
  remove(name: string, account?: CredentialAccount): Promise<void>
}

/** Options of `createCredentials`. */
export interface CredentialsOptions {
  /** Milliseconds for each call of `verify`, 1 or more; 10,000 if absent. */
  readonly verifyTimeoutMs?: number
}

const optionNames: KnownNames<CredentialsOptions> = { verifyTimeoutMs: true }

/** Milliseconds for which a change of a credential waits for earlier ones in this process. */
const maxWaitMs = 60_000
/** The number of items that `list` describes at a time. */
const maxConcurrentItems = 8
/** The largest page of `listItems`. */
const pageSize = 1000

/**
 * Creates credentials, such as the API keys of customers, of the given kinds.
 * @throws TypeError if `service` is not a service, a kind is invalid or an option is unknown.
 * @throws RangeError if `verifyTimeoutMs` is not a number of 1 or more.
 * @example
 * const credentials = createCredentials(service, {
 *   stripe: { fields: { key: { secret: true } }, origins: ['https://api.stripe.com'] },
 * })
 * await credentials.of(caller, vaultId).save('stripe', { key: 'sk_live_…' })
 */
export function createCredentials(
  service: VaultService,
  kinds: CredentialKinds,
  options: CredentialsOptions = {},
): Credentials {
  assertService(service)
  assertKinds(kinds)
  assertKnown(options, optionNames)
  const { verifyTimeoutMs = 10_000 } = options
  if (!(verifyTimeoutMs >= 1)) throw new RangeError('verifyTimeoutMs must be a number of 1 or more')
  // The same attempts as those of a service.
  const retry = createOptimisticRetry(createKeyQueue(maxWaitMs), () => {})
  const names = Object.keys(kinds)

  /** Returns the kind, and the ids of the item. */
  async function locate(
    vaultId: string,
    name: string,
    which: CredentialAccount = {},
  ): Promise<{ target: CredentialTarget; ref: ItemRef }> {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw new TypeError(`name must be one of ${names.join(', ')}`)
    const isObject = typeof which === 'object' && which !== null
    assertArgument(isObject, 'account', "an object, such as { account: 'live' }")
    assertKnown<CredentialAccount>(which, { account: true }, 'account')
    const { account } = which
    if (account !== undefined && !isAccount(account))
      throw InvalidInputError.at('account', 'must be 1 to 200 characters, none of control')
    const ref = { vaultId, itemId: await findItemId(vaultId, name, account) }
    return { target: { vaultId, name, account, kind }, ref }
  }

  return {
    names,
    of(caller, vaultId) {
      const vault = service.as(caller)

      /** Changes the item of a credential until no concurrent writer wins. */
      const change = async (
        name: string,
        account: CredentialAccount | undefined,
        attempt: (target: CredentialTarget, ref: ItemRef, verify: Verifier) => Promise<Written>,
      ): Promise<CredentialView> => {
        const { target, ref } = await locate(vaultId, name, account)
        const verify = createVerifier(target.kind, () => service.now(), verifyTimeoutMs)
        const key = { collection: vaultId, id: ref.itemId }
        const item = await retry(key, 'item', () => attempt(target, ref, verify))
        return toView(target, toDescription(item))
      }

      return {
        save: (name, given, account) =>
          change(name, account, async (target, ref, verify) => {
            const { kind } = target
            const { before, version } = await findItem(vault, ref)
            const stored = before === undefined ? {} : readValues(kind, before)
            const { values, keptSecrets } = mergeValues(kind, given, stored)
            const origins = findOrigins(kind, values)
            assertSameOrigins(kind, stored, origins ?? [], keptSecrets)
            const check = await verify(values)
            if (check.status === 'rejected') throw new CredentialRejectedError(name)
            const draft = toItemDraft(target, before, check, { values, origins }, version)
            if (version > 0)
              return orUndefined(vault.replaceItem({ ...ref, item: draft, ifVersion: version }))
            const created = await orUndefined(vault.createItem({ ...ref, item: draft }))
            if (created?.version === 1) return created
            // The item is marked as deleted, or was created meanwhile.
            const replacement = { ...ref, item: draft, ifState: 'DELETED' } as const
            const written = created ?? (await orUndefined(vault.replaceItem(replacement)))
            if (written === undefined) return undefined
            // An earlier item had this id. The version of the result is known only now.
            const checked = toItemDraft(target, written, check, undefined, written.version)
            return orUndefined(
              vault.replaceItem({ ...ref, item: checked, ifVersion: written.version }),
            )
          }),

        async describe(name, account) {
          const { target, ref } = await locate(vaultId, name, account)
          const found = await orUnreadable(ref, withName(target, vault.describeItem(ref)))
          return found.unreadable === undefined
            ? toView(target, found.result)
            : toUnreadableView(target, found.unreadable.version)
        },

        async list({ onUnreadable } = {}) {
          const views: CredentialView[] = []
          const errors: DecryptionError[] = []
          const onDamage = (error: DecryptionError) => errors.push(error)
          const itemIds = await listItemIds(vault, vaultId, onDamage)
          for (const ids of batchesOf(itemIds, maxConcurrentItems)) {
            const found = await Promise.all(
              ids.map((itemId) => describeOne({ vaultId, itemId }, onDamage)),
            )
            views.push(...found.filter((view) => view !== undefined))
          }
          const targets = errors.length === 0 ? new Map() : await targetsWithoutAccount()
          for (const error of errors) {
            const target = targets.get(error.record?.id)
            if (target === undefined) onUnreadable?.(error)
            else views.push(toUnreadableView(target, Number(error.record?.version)))
          }
          return views.sort(compareViews)
        },

        verify: (name, account) =>
          change(name, account, async (target, ref, verify) => {
            const before = await withName(target, vault.getItem(ref))
            assertNotArchived(before)
            if (target.kind.verify === undefined) return before
            const check = await verify(readValues(target.kind, before))
            const item = toItemDraft(target, before, check, undefined, before.version)
            return orUndefined(vault.replaceItem({ ...ref, item, ifVersion: before.version }))
          }),

        async reveal(name, field, account) {
          const { target, ref } = await locate(vaultId, name, account)
          if (!Object.hasOwn(target.kind.fields, field))
            throw new TypeError(
              `field must be one of ${Object.keys(target.kind.fields).join(', ')}`,
            )
          const { id, value = '' } = await withName(target, vault.getField({ ...ref, field }))
          // Another field can have this id as its label.
          if (id !== field || value === '') throw new NotFoundError('field', field)
          return value
        },

        async remove(name, account) {
          const { target, ref } = await locate(vaultId, name, account)
          await withName(target, vault.deleteItem(ref))
        },
      }

      /**
       * Returns the credentials without an account by the ids of their items. Of others, the id alone
       * does not say which ones they are.
       */
      async function targetsWithoutAccount(): Promise<Map<string | undefined, CredentialTarget>> {
        const located = await Promise.all(names.map((name) => locate(vaultId, name)))
        return new Map(located.map(({ ref, target }) => [ref.itemId, target]))
      }

      /** Returns the view of an item; undefined if it is not a credential of one of the kinds. */
      async function describeOne(
        ref: ItemRef,
        onDamage: (error: DecryptionError) => void,
      ): Promise<CredentialView | undefined> {
        const { itemId } = ref
        const found = await orUnreadable(ref, orUndefined(vault.describeItem(ref)))
        if (found.unreadable !== undefined) onDamage(found.error)
        const item = found.result
        if (item === undefined) return undefined
        const { name, account } = readNames(item)
        const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
        const names = { name, account: account === '' ? undefined : account }
        const isCredential = (await findItemId(vaultId, name, names.account)) === itemId
        return kind && isCredential ? toView({ vaultId, kind, ...names }, item) : undefined
      }
    },
  }
}

/** The stored item; undefined if a concurrent writer won. */
type Written = Item | undefined

/** Returns the result of verifying the values. The same values are verified only once. */
type Verifier = (values: CredentialValues) => Promise<CredentialCheck>

function createVerifier(kind: CredentialKind, now: () => Date, timeoutMs: number): Verifier {
  const checks = new Map<string, CredentialCheck>()
  return async (values) => {
    const key = JSON.stringify(values)
    const known = checks.get(key)
    if (known !== undefined) return known
    const status = await verifyValues(kind, values, timeoutMs)
    const check = { status, checkedAt: now().toISOString() }
    checks.set(key, check)
    return check
  }
}

async function verifyValues(
  kind: CredentialKind,
  values: CredentialValues,
  timeoutMs: number,
): Promise<CredentialCheck['status']> {
  if (kind.verify === undefined) return 'unverified'
  const controller = new AbortController()
  const { signal } = controller
  const stop = (): Error => {
    const error = new Error('verify took too long')
    controller.abort(error)
    return error
  }
  try {
    const call = (async () => kind.verify?.({ ...values }, { signal }))()
    const isValid: unknown = await withTimeout(call, timeoutMs, stop)
    if (isValid === true) return 'ok'
    return isValid === false ? 'rejected' : 'unverified'
  } catch {
    // The error can contain a value, for example of a header.
    return 'unverified'
  }
}

function isAccount(account: unknown): boolean {
  return typeof account === 'string' && /^\P{Cc}{1,200}$/u.test(account) && account.isWellFormed()
}

/** @throws InvalidInputError if secrets are kept that were entered for other origins. */
function assertSameOrigins(
  kind: CredentialKind,
  stored: CredentialValues,
  origins: readonly string[],
  keptSecrets: readonly string[],
): void {
  // Other origins in a list are a decision of the embedder.
  if (keptSecrets.length === 0 || typeof kind.origins !== 'function') return
  const known = new Set(findOrigins(kind, stored))
  if (origins.every((origin) => known.has(origin))) return
  const message = 'must be entered again, because it would be sent to another origin'
  throw new InvalidInputError(keptSecrets.map((path) => ({ path, message })))
}

/**
 * Returns the stored item, and the version that can be replaced: 0 if it does not exist. An
 * unreadable item has a version and nothing else.
 * @throws InvalidInputError if it is archived.
 */
async function findItem(
  vault: CallerOperations,
  ref: ItemRef,
): Promise<{ readonly before: Item | undefined; readonly version: number }> {
  const found = await orUnreadable(ref, orUndefined(vault.getItem(ref)))
  if (found.unreadable !== undefined)
    return { before: undefined, version: found.unreadable.version }
  const { result } = found
  return { before: result && assertNotArchived(result), version: result?.version ?? 0 }
}

/** The result of a call about an item, or the error that says that the item is unreadable. */
type Readable<Result> =
  | { readonly result: Result; readonly unreadable?: undefined }
  | {
      readonly result?: undefined
      readonly unreadable: UnreadableRecord
      readonly error: DecryptionError
    }

/** Resolves with the error of the call if this item is unreadable. */
async function orUnreadable<Result>(
  { vaultId, itemId }: ItemRef,
  call: Promise<Result>,
): Promise<Readable<Result>> {
  try {
    return { result: await call }
  } catch (error) {
    const unreadable = error instanceof DecryptionError ? error.record : undefined
    const isItem = unreadable?.collection === `items/${vaultId}` && unreadable.id === itemId
    if (!isItem || !(error instanceof DecryptionError)) throw error
    return { unreadable, error }
  }
}

function assertNotArchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived credential cannot be changed')
}

/** Returns the ids of the items that can be credentials. */
async function listItemIds(
  vault: CallerOperations,
  vaultId: string,
  onUnreadable: (error: DecryptionError) => void,
): Promise<readonly string[]> {
  const filter = `tag eq "${credentialTag}"`
  const ids: string[] = []
  for (;;) {
    const after = ids.at(-1)
    const page = { vaultId, filter, limit: pageSize, ...(after !== undefined && { after }) }
    const items = await vault.listItems(page, { onUnreadable })
    for (const { id } of items) ids.push(id)
    if (items.length < pageSize) return ids
  }
}

function compareViews(left: CredentialView, right: CredentialView): number {
  const [one, other] = [left, right].map(({ name, account = '' }) => `${name}\n${account}`)
  return String(one) < String(other) ? -1 : 1
}

/** Returns undefined if the item does not exist, has another version, or exists already. */
async function orUndefined<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    const isRefused =
      error instanceof PreconditionFailedError ||
      (error instanceof NotFoundError && error.resource === 'item') ||
      (error instanceof ConflictError && error.reason === 'exists')
    if (isRefused) return undefined
    throw error
  }
}

/** Names the credential in place of its item if it does not exist. */
async function withName<Result>(
  { name }: CredentialTarget,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NotFoundError && error.resource === 'item')
      throw new NotFoundError('item', error.id, `credential ${name} not found`)
    throw error
  }
}
