/**
 * Creates an item, replaces it, or makes a deleted one active again, in a single compare-and-swap
 * loop.
 */

import { notFoundError } from '../../base/fixed-errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item, ParsedItem } from '../../schema/item.js'
import { type Call, makeChange } from '../operation/call.js'
import { assertNotArchived } from '../records/change-item.js'
import { deleteItemIfPresent } from '../records/delete-item-record.js'
import {
  type ChosenId,
  formatHeader,
  isItemRecord,
  itemKey,
  parseHeader,
  parseItemRecord,
  type StoredItem,
} from '../records/item-record.js'
import { checkItemRule } from '../records/item-rule.js'
import {
  attemptUpdate,
  replacementFor,
  type UpdateOptions,
  writeItem,
} from '../records/update-item.js'
import {
  findVaultRecord,
  isSameVault,
  isVaultRecord,
  parseGeneration,
  requireVaultRecord,
  type StoredVaultRecord,
} from '../records/vault-record.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'
import { buildItem } from './build-item.js'
import { createDraws, type Draws } from './draws.js'
import { applyNewItem } from './item-changes.js'

/**
 * Returns the new item, or undefined to leave it unchanged. It has no effects, because it may run
 * more than once, each time with a newer item. If it is called with a stored item, the strings of
 * its result must already have been checked.
 * @param stored - The item in any state, or undefined if it does not exist. With
 * `replacesUnreadable`, an item without content if the stored one is unreadable.
 * @param version - The version that is replaced: the version of `stored`, the last version of a
 * deleted item with this id, or 0 if the id was never used.
 */
export type MakeItem = (stored: StoredItem | undefined, version: number) => ParsedItem | undefined

/** Options of `putItem`. */
export interface PutOptions extends Pick<UpdateOptions, 'replacesUnreadable'> {
  /**
   * Called instead of `write` when the item is ready to be written. It must call `write` and resolve
   * with its result. `before` is undefined if the item is new.
   */
  readonly commit?: (
    before: StoredItem | undefined,
    write: () => Promise<boolean>,
  ) => Promise<boolean>
}

/**
 * Writes the item with a chosen id, whether or not it exists. A new item continues the versions of
 * a deleted one. An item that is marked as deleted becomes active, and keeps its files.
 * @returns The new record, or undefined if `make` returns undefined.
 * @throws NotFoundError if neither the item nor its vault exists.
 * @throws InvalidInputError (400) if the item is archived, and the errors of `make`.
 * @throws ConflictError if concurrent writers won every attempt.
 */
export async function putItem(
  call: Call,
  ref: ItemRef,
  make: MakeItem,
  options: PutOptions = {},
): Promise<StoredItem | undefined> {
  const { context } = call
  const draws = createDraws(context.randomBytes)
  let firstVault: StoredVaultRecord | undefined
  const { saved, vault } = await context.retry(itemKey(ref), 'item', async (): Promise<Put> => {
    const { stored, version } = await findStored(context, ref, options)
    if (stored !== undefined) {
      const draft = make(stored, version)
      if (draft === undefined) return {}
      const update = (item: Item): Item =>
        buildItem(context, draft, withoutDeletedState(assertNotArchived(item)), draws)
      const { commit } = options
      const saved = await attemptUpdate(call, stored, update, { ...(commit && { commit }) })
      return saved && { saved }
    }
    // Loaded once for all attempts, because an item for a deleted vault must not end up in its
    // successor.
    firstVault ??= await requireVaultRecord(context, ref.vaultId)
    const chosenId = {
      firstVersion: version + 1,
      generation: parseGeneration(firstVault, ref.vaultId),
    }
    const draft = make(undefined, version)
    if (draft === undefined) return {}
    const saved = buildNewItem(call, ref, draft, { draws, chosenId })
    return (await writeNewItem(call, saved, options.commit))
      ? { saved, vault: firstVault }
      : undefined
  })
  if (saved !== undefined && vault !== undefined) await undoIfVaultDeleted(call, saved, vault)
  return saved
}

/** The result of an attempt. Undefined if a concurrent writer won. */
type Put =
  | {
      readonly saved?: StoredItem
      /** The vault of an item that was created. */
      readonly vault?: StoredVaultRecord
    }
  | undefined

/**
 * Returns what is stored under a chosen id, and its version, which is 0 if the id was never used.
 */
export async function findStored(
  context: Context,
  ref: ItemRef,
  { replacesUnreadable = false }: Pick<PutOptions, 'replacesUnreadable'>,
): Promise<{ readonly stored?: StoredItem; readonly version: number }> {
  try {
    const record = await context.store.records.get(itemKey(ref))
    const version = record?.version ?? 0
    return isItemRecord(record) ? { stored: parseItemRecord(record, ref), version } : { version }
  } catch (error) {
    if (!replacesUnreadable || !isUnreadableError(error, itemKey(ref))) throw error
    const { version } = error.record
    return { stored: await replacementFor(context, ref, version), version }
  }
}

function withoutDeletedState({ state: _, ...item }: Item): Item {
  return item
}

/** The parts of a new item that its draft does not contain. */
export interface NewItemParts {
  /** The random values of the call. Default: new ones. */
  readonly draws?: Draws
  /** Not set if the id of the item is random. */
  readonly chosenId?: ChosenId
}

/** Builds an item that does not exist yet. @throws InvalidInputError, or the error of a rule. */
export function buildNewItem(
  { context, caller }: Call,
  { vaultId, itemId }: ItemRef,
  draft: ParsedItem,
  { draws = createDraws(context.randomBytes), chosenId }: NewItemParts = {},
): StoredItem {
  const createdAt = context.now().toISOString()
  const lastVersion = chosenId === undefined ? 0 : chosenId.firstVersion - 1
  const origin = { id: itemId, vaultId, lastVersion, createdAt, caller }
  const { item, text } = applyNewItem(context, origin, draft, draws)
  if (context.validateItem !== undefined) checkItemRule(context, text, undefined, caller)
  return { item, header: formatHeader(item, {}, chosenId), text }
}

/** Writes an item that `buildNewItem` has built. Resolves with false if its id was used meanwhile. */
export function writeNewItem(
  call: Call,
  created: StoredItem,
  commit: PutOptions['commit'] = (_, write) => write(),
): Promise<boolean> {
  const write = () => writeItem(call.context, created)
  return makeChange(call, itemChange('item.created', created.item), () => commit(undefined, write))
}

/**
 * Deletes a new item again if its vault has been deleted since it was loaded, even if a new vault
 * has the same id, because `deleteVault` may not have seen the item. In a new vault, a chosen id
 * may belong to another item by now, which is kept.
 * @throws NotFoundError if the vault was deleted.
 */
export async function undoIfVaultDeleted(
  call: Call,
  created: StoredItem,
  before: StoredVaultRecord,
): Promise<void> {
  const { id: itemId, vault } = created.item
  const { id: vaultId } = vault
  const now = await findVaultRecord(call.context, vaultId)
  if (now?.version === before.version) return
  const isSame = now && isVaultRecord(now, vaultId) && isSameVault(vaultId, before, now)
  if (isSame) return
  const generationOf = (stored: StoredItem) => parseHeader(stored).chosenId?.generation
  const isMatch = (stored: StoredItem): boolean => generationOf(stored) === generationOf(created)
  await deleteItemIfPresent(call, { vaultId, itemId }, { isMatch })
  throw notFoundError('vault', vaultId)
}
