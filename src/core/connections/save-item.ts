/** Saves an item under an id that is derived from a name, such as that of a credential. */

import { ConflictError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item, ItemDraft } from '../../schema/item.js'
import { parseDraftOver } from '../items/build-item.js'
import { findStored, type MakeItem, type PutOptions, putItem } from '../items/put-item.js'
import type { Call } from '../operation/call.js'
import type { StoredItem } from '../records/item-record.js'
import { isUnreadable } from '../records/update-item.js'
import { requireVaultRecord } from '../records/vault-record.js'

/**
 * Returns the new item, or undefined to leave it unchanged. It has no effects, because it may run
 * more than once, each time with a newer item. A field of `before` in its result is kept unchanged,
 * even if its type is unknown.
 * @param before - Undefined if the item does not exist, is marked as deleted or is unreadable.
 * @param version - The version that is replaced. 0 if the id was never used.
 */
export type MakeDraft = (before: Item | undefined, version: number) => ItemDraft | undefined

const putOptions = { replacesUnreadable: true }

/**
 * Creates the item, replaces it, or makes a deleted one active again. An unreadable item is
 * replaced, and nothing of it is kept.
 * @param commit - Called to write the item. It must call `write` and resolve with its result.
 * `isNew` is false if the item exists.
 * @returns The stored item, or undefined if `make` returns undefined.
 * @throws NotFoundError if neither the item nor its vault exists.
 * @throws InvalidInputError (400) if the draft is invalid or the item is archived, and the errors
 * of `make`.
 * @throws ConflictError if concurrent writers won every attempt.
 */
export async function saveItem(
  call: Call,
  ref: ItemRef,
  make: MakeDraft,
  commit: (isNew: boolean, write: () => Promise<boolean>) => Promise<boolean> = (_, write) =>
    write(),
): Promise<Item | undefined> {
  const nothing = { id: ref.itemId, vault: { id: ref.vaultId }, sections: [], fields: [] }
  const parseMade: MakeItem = (stored, version) => {
    const before = toBefore(stored)
    const draft = make(before, version)
    return draft && parseDraftOver(call.context, draft, before ?? nothing)
  }
  const commitOver: PutOptions['commit'] = (before, write) => commit(before === undefined, write)
  return (await putItem(call, ref, parseMade, { ...putOptions, commit: commitOver }))?.item
}

/**
 * Returns the item that `make` would be called with.
 * @throws NotFoundError if neither the item nor its vault exists.
 */
export async function findBefore({ context }: Call, ref: ItemRef): Promise<Item | undefined> {
  const { stored } = await findStored(context, ref, putOptions)
  if (stored === undefined) await requireVaultRecord(context, ref.vaultId)
  return toBefore(stored)
}

function toBefore(stored: StoredItem | undefined): Item | undefined {
  if (stored === undefined || isUnreadable(stored)) return undefined
  return stored.item.state === 'DELETED' ? undefined : stored.item
}

const maxAttempts = 32

/**
 * Runs `attempt` until it resolves with an item. It may call a provider, so other changes of the
 * item need not wait for it. Undefined means that the item has changed since, so that the
 * provider's answer is about old values.
 * @throws ConflictError after 32 attempts.
 */
export async function retryUntilSaved(
  { itemId }: ItemRef,
  attempt: () => Promise<Item | undefined>,
): Promise<Item> {
  for (let attempts = 1; attempts <= maxAttempts; attempts++) {
    const saved = await attempt()
    if (saved !== undefined) return saved
  }
  throw new ConflictError(`item ${itemId} has too many concurrent changes`)
}
