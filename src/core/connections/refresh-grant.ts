/** Refreshes an OAuth grant. */

import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import type { PatchOperation } from '../../schema/patch.js'
import * as z from '../../schema/zod.js'
import { parsePatchBody } from '../items/item-changes.js'
import { patchItem } from '../items/patch-item.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'

/** Reads and changes the item of a grant during a refresh. */
export interface GrantSteps {
  load(): Promise<Item>
  /** @throws PreconditionFailedError if the stored version is not the version of `item`. */
  patch(item: Item, patch: readonly PatchOperation[]): Promise<void>
}

/**
 * Calls `refresh`, which asks the provider for new tokens and stores its answer. The call is
 * recorded as pending before that, so a provider is never called without an entry.
 */
export const refreshGrant = defineOperation({
  name: 'refreshGrant',
  summary: 'Refreshes an OAuth grant',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: [...generateErrors, 'RECONNECT_REQUIRED'],
  input: z.object({
    refresh: z.custom<(steps: GrantSteps) => Promise<void>>(),
  }),
  async run(call, { refresh, ...ref }) {
    await call.beginChange({ type: 'item.updated', ...ref })
    await refresh(toSteps(call, ref))
  },
})

function toSteps(call: Call, ref: ItemRef): GrantSteps {
  const { context } = call
  return {
    load: async () => (await loadItem(context, ref)).item,
    async patch({ version }, operations) {
      const patch = parsePatchBody(context, operations)
      await patchItem.run(call, { ...ref, patch, ifVersion: version })
    },
  }
}
