/** A stored item for patches, through a service or with the pure functions on frozen values. */

import { expect } from 'vitest'
import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { resolveLimits } from '../../../src/core/runtime/limits.js'
import { newId } from '../../../src/core/runtime/random.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import { InvalidInputError } from '../../../src/errors.js'
import type { Item, ItemDraft, PatchOperation, VaultServiceOptions } from '../../../src/index.js'
import { createSeededRandomBytes, createTestVault, loginDraft } from '../../../src/testing.js'
import { expectUnpolluted } from '../source/prototype-pollution.js'
import { readRecords } from '../stores/stores.js'

/** A stored item, and functions that patch it. */
export interface PatchHarness {
  /** The item before any patch. */
  readonly item: Item
  /** Returns the item after the patch. */
  patch(patch: unknown): Promise<Item>
  /** Returns the message of the error. Fails if any record changes. */
  rejection(patch: unknown): Promise<string>
}

/** Creates a login with a generated password and these changes. */
export async function createPatchHarness(
  changes: Partial<ItemDraft> = {},
  options: Partial<VaultServiceOptions> = {},
): Promise<PatchHarness> {
  const { service, store, caller, vaultId } = await createTestVault({ strict: false, ...options })
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
    async rejection(patch) {
      const before = await readRecords(store, vaultId)
      const error = await run(patch).then(
        () => new Error('it was accepted'),
        (reason: unknown) => reason,
      )
      expect(await readRecords(store, vaultId)).toEqual(before)
      if (!(error instanceof InvalidInputError)) throw error
      return error.message
    },
  }
}

/** Returns the result of the pure functions. Item and patch are deeply frozen. */
export function patchFrozen(item: Item, patch: unknown): Record<string, unknown> {
  const plan = planPatch(contractDialect.parsePatch(freezeDeeply(patch)), resolveLimits())
  const randomBytes = createSeededRandomBytes()
  return applyPatch(freezeDeeply(item), plan, () => newId(randomBytes))
}

/** Returns the attributes that a client can set, with defaults for lists and `favorite`. */
export function pickSettable(item: object): Record<string, unknown> {
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const names = ['category', 'title', ...Object.keys(emptyItem)]
  return Object.fromEntries(
    Object.entries({ ...emptyItem, ...item }).filter(([name]) => names.includes(name)),
  )
}

/** Freezes a value deeply, so that every change of it throws. */
function freezeDeeply<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freezeDeeply(member)
  return Object.freeze(value)
}
