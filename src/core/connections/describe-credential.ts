/** Describes credentials without their secret values. */

import { batchesOf } from '../../base/batches.js'
import { NotFoundError } from '../../errors.js'
import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ItemDescription } from '../../schema/item-description.js'
import { toDescription } from '../items/describe-item.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { itemKey, loadItem } from '../records/item-record.js'
import { requireVaultRecord } from '../records/vault-record.js'
import { isUnreadableError, type UnreadableError } from '../runtime/report-unreadable.js'
import { type FoundRecord, scanCredentials } from './credential-record.js'

/** The item of a credential without its secret values, or its error if it is unreadable. */
export type DescribedItem = ItemDescription | UnreadableError

/** Returns the item of a credential without its secret values. */
export const describeCredential = defineOperation({
  name: 'describeCredential',
  summary: 'Returns a credential without its secrets',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  run: ({ context }, ref) => describe(context, ref),
})

async function describe(context: Call['context'], ref: ItemRef): Promise<DescribedItem> {
  try {
    return toDescription((await loadItem(context, ref)).item)
  } catch (error) {
    if (isUnreadableError(error, itemKey(ref))) return error
    throw error
  }
}

/** A credential of a list. */
export interface FoundCredential {
  readonly itemId: string
  /** Undefined if its record is unreadable. */
  readonly listed: RecordedCredential | undefined
  readonly item: DescribedItem
}

/** The number of items that are read at a time. */
const maxConcurrentItems = 8

/**
 * Returns the items of a vault's credentials without their secret values, except those that are
 * marked as deleted.
 */
export const listCredentials = defineOperation({
  name: 'listCredentials',
  summary: 'Returns the credentials of a vault without their secrets',
  target: 'vault',
  permissions: ['read'],
  activity: ['READ', 'VAULT'],
  errors: readErrors,
  async run({ context }, { vaultId }): Promise<readonly FoundCredential[]> {
    await requireVaultRecord(context, vaultId)
    const records: FoundRecord[] = []
    for await (const record of scanCredentials(context, vaultId)) records.push(record)
    const found: FoundCredential[] = []
    for (const batch of batchesOf(records, maxConcurrentItems)) {
      const items = await Promise.all(
        batch.map(({ itemId }) => findItem(context, { vaultId, itemId })),
      )
      for (const [index, { itemId, credential: listed }] of batch.entries()) {
        const item = items[index]
        if (item === undefined) continue
        // The caller's kinds decide later whether the list leaves it out.
        if (isUnreadableError(item)) context.reportUnreadable(item)
        found.push({ itemId, listed, item })
      }
    }
    return found
  },
})

/** Returns the item of a record, or undefined if it does not exist. */
async function findItem(
  context: Call['context'],
  ref: ItemRef,
): Promise<DescribedItem | undefined> {
  try {
    return await describe(context, ref)
  } catch (error) {
    if (error instanceof NotFoundError && error.resource === 'item') return undefined
    throw error
  }
}
