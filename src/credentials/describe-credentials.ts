/** Describes the credentials of a vault, without their secrets. */

import { batchesOf } from '../base/batches.js'
import type { CallOptions } from '../core/operation/call-options.js'
import { itemKey } from '../core/records/item-record.js'
import { isUnreadableError } from '../core/runtime/report-unreadable.js'
import type { CallerOperations } from '../core/vault-service.js'
import { type DecryptionError, NotFoundError } from '../errors.js'
import type { ItemRef } from '../schema/ids.js'
import {
  type CredentialTarget,
  type CredentialView,
  credentialTag,
  findItemId,
  readNames,
  toUnreadableView,
  toView,
} from './credential-item.js'
import type { CredentialKinds } from './credential-kind.js'

/** The number of items that are described at a time. */
const maxConcurrentItems = 8
/** The largest page of `listItems`. */
const pageSize = 1000

/** Returns the view of a credential. @throws NotFoundError if it does not exist. */
export async function describeCredential(
  vault: CallerOperations,
  target: CredentialTarget,
  ref: ItemRef,
): Promise<CredentialView> {
  try {
    return toView(target, await vault.describeItem(ref))
  } catch (error) {
    if (!isUnreadableError(error, itemKey(ref))) throw error
    return toUnreadableView(target, error.record.version)
  }
}

/** Returns the views of all credentials of the vault. See `VaultCredentials`. */
export async function listCredentials(
  vault: CallerOperations,
  vaultId: string,
  kinds: CredentialKinds,
  { onUnreadable }: Pick<CallOptions, 'onUnreadable'>,
): Promise<readonly CredentialView[]> {
  const views: CredentialView[] = []
  const errors: DecryptionError[] = []
  const onDamage = (error: DecryptionError) => errors.push(error)
  const itemIds = await listItemIds(vault, vaultId, onDamage)
  for (const ids of batchesOf(itemIds, maxConcurrentItems)) {
    const found = await Promise.all(
      ids.map((itemId) => findCredential(vault, kinds, { vaultId, itemId }, onDamage)),
    )
    views.push(...found.filter((view) => view !== undefined))
  }
  const targets = errors.length === 0 ? new Map() : await targetsWithoutAccount(vaultId, kinds)
  for (const error of errors) {
    const target = targets.get(error.record?.id)
    if (target === undefined) onUnreadable?.(error)
    else views.push(toUnreadableView(target, Number(error.record?.version)))
  }
  return views.sort(compareViews)
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

/** Returns the view of an item; undefined if it is not a credential of one of the kinds. */
async function findCredential(
  vault: CallerOperations,
  kinds: CredentialKinds,
  ref: ItemRef,
  onUnreadable: (error: DecryptionError) => void,
): Promise<CredentialView | undefined> {
  const { vaultId, itemId } = ref
  try {
    const item = await vault.describeItem(ref)
    const { name, account } = readNames(item)
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    const names = { name, account: account === '' ? undefined : account }
    const isCredential = (await findItemId(vaultId, name, names.account)) === itemId
    return kind && isCredential ? toView({ vaultId, kind, ...names }, item) : undefined
  } catch (error) {
    if (isUnreadableError(error, itemKey(ref))) onUnreadable(error)
    // The item was listed, and has been deleted since.
    else if (!(error instanceof NotFoundError && error.resource === 'item')) throw error
    return undefined
  }
}

/**
 * Returns the credentials without an account by the ids of their items. Of others, the id alone does
 * not say which ones they are.
 */
async function targetsWithoutAccount(
  vaultId: string,
  kinds: CredentialKinds,
): Promise<Map<string | undefined, CredentialTarget>> {
  const targets = Object.entries(kinds).map(
    async ([name, kind]) =>
      [
        await findItemId(vaultId, name, undefined),
        { vaultId, name, account: undefined, kind },
      ] as const,
  )
  return new Map(await Promise.all(targets))
}

function compareViews(left: CredentialView, right: CredentialView): number {
  const [one, other] = [left, right].map(({ name, account = '' }) => `${name}\n${account}`)
  return String(one) < String(other) ? -1 : 1
}
