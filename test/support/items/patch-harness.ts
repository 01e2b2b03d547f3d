/** One stored item to try patches on: with the pure functions on frozen things, and through a service on a store. */

import { expect } from 'vitest'
import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import { newId } from '../../../src/core/runtime/random.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { InvalidInputError } from '../../../src/errors.js'
import type { Item, ItemDraft, PatchOperation, VaultServiceOptions } from '../../../src/index.js'
import { createSeededRandomBytes, createTestVault, loginDraft } from '../../../src/testing.js'
import { expectUnpolluted } from '../source/prototype-pollution.js'
import { recordsOf } from '../stores/stores.js'

/** What a patch makes of the lab's item, or how it is refused. */
export interface PatchLab {
  /** The item as it was stored at first. */
  readonly item: Item
  /** The item after the patch. */
  patch(patch: unknown): Promise<Item>
  /** The message of the refusal. Every record is the same, byte for byte, afterwards. */
  refusal(patch: unknown): Promise<string>
}

/** A login with a password that was generated, changed as told. */
export async function createPatchLab(
  changes: Partial<ItemDraft> = {},
  options: Partial<VaultServiceOptions> = {},
): Promise<PatchLab> {
  const { service, store, caller, vaultId } = await createTestVault(options)
  const draft = loginDraft(vaultId, changes)
  const item = await service.createItem(caller, { vaultId, item: draft })
  const run = async (patch: unknown): Promise<Item> => {
    const input = { vaultId, itemId: item.id, patch: patch as PatchOperation[] }
    try {
      return await service.patchItem(caller, input)
    } finally {
      expectUnpolluted()
    }
  }
  return {
    item,
    patch: run,
    async refusal(patch) {
      const before = await recordsOf(store, vaultId)
      const error = await run(patch).then(
        () => new Error('it was accepted'),
        (reason: unknown) => reason,
      )
      expect(await recordsOf(store, vaultId)).toEqual(before)
      if (!(error instanceof InvalidInputError)) throw error
      return error.message
    },
  }
}

/** The document that the pure functions make of an item; both the item and the patch are frozen through and through. */
export function patchedFrozen(item: Item, patch: unknown): Record<string, unknown> {
  const plan = planPatch(contractDialect.parsePatch(frozen(patch)), resolveLimits())
  const randomBytes = createSeededRandomBytes()
  return applyPatch(frozen(item), plan, () => newId(randomBytes))
}

/** What a client may set of an item, lists and `favorite` as they are if absent. */
export function settable(item: object): Record<string, unknown> {
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const names = ['category', 'title', ...Object.keys(emptyItem)]
  return Object.fromEntries(
    Object.entries({ ...emptyItem, ...item }).filter(([name]) => names.includes(name)),
  )
}

/** The value, which throws in strict code whenever anything of it is changed. */
function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
