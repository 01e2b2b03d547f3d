/** A stored item for patches, with checks that hold for every patch. */

import { applyPatch, planPatch } from '../../../src/core/patch/apply-patch.js'
import { limitOptions } from '../../../src/core/runtime/limits.js'
import { InvalidInputError } from '../../../src/errors.js'
import {
  createCaller,
  createVaultService,
  type Item,
  type ItemDraft,
  type PatchOperation,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes, createTestClock } from '../../../src/testing.js'
import { loginDraft } from '../drafts.js'
import { expectUnpolluted } from '../source/prototype-pollution.js'
import { readRecords } from '../stores/stores.js'

/** A stored item, and functions that patch it. */
export interface PatchHarness {
  /** The item before any patch. */
  readonly item: Item
  /** Returns the item after the patch, or the error if the patch is invalid. */
  outcome(patch: unknown): Promise<Item | InvalidInputError>
  /** Returns the item after the patch. */
  patch(patch: unknown): Promise<Item>
  /** Returns the message of the error. */
  rejection(patch: unknown): Promise<string>
}

/**
 * Stores an item in a new store: the login of `loginDraft` with these changes. With every patch
 * it checks that
 *
 * - the patch stays unchanged, and no built-in prototype changes,
 * - the item that is returned is the one that is stored,
 * - nothing is stored if the patch is rejected, with nothing but an InvalidInputError.
 */
export async function createPatchHarness(
  changes: object = {},
  options: Partial<VaultServiceOptions> = {},
): Promise<PatchHarness> {
  const caller = createCaller({ id: 'tester', vaults: '*' })
  const store = createMemoryStore()
  const randomBytes = createSeededRandomBytes()
  const service = createVaultService({ store, randomBytes, now: createTestClock(), ...options })
  const { id: vaultId } = await service.createVault(caller, { name: 'Vault' })
  const draft: ItemDraft = loginDraft(vaultId, changes)
  const item = await service.createItem(caller, { vaultId, item: draft })
  const ref = { vaultId, itemId: item.id }

  const outcome: PatchHarness['outcome'] = async (patch) => {
    const before = await readRecords(store, vaultId)
    const input = { ...ref, patch: freezeDeeply(patch) as PatchOperation[] }
    try {
      const patched = await service.patchItem(caller, input)
      const stored = await service.getItem(caller, ref)
      if (JSON.stringify(stored) !== JSON.stringify(patched))
        throw new Error('another item is stored')
      return patched
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error
      const after = await readRecords(store, vaultId)
      if (after.join('\n') !== before.join('\n')) throw new Error('a rejected patch was stored')
      return error
    } finally {
      expectUnpolluted()
    }
  }
  return {
    item,
    outcome,
    async patch(patch) {
      const patched = await outcome(patch)
      if (patched instanceof InvalidInputError) throw patched
      return patched
    },
    async rejection(patch) {
      const error = await outcome(patch)
      if (!(error instanceof InvalidInputError)) throw new Error('the patch was accepted')
      return error.message
    },
  }
}

/**
 * Returns what `applyPatch` makes of the item. Item, patch and plan are frozen, so any change of
 * them throws, and the patch is applied twice, as when a put conflicts.
 */
export function applyFrozen(
  item: Item,
  patch: unknown,
  newFieldId = 'new',
): [first: object, second: object] {
  const operations = freezeDeeply(patch) as readonly PatchOperation[]
  const plan = freezeDeeply(planPatch(operations, limitOptions.read({})))
  const apply = (): object => applyPatch(freezeDeeply(item), plan, () => newFieldId)
  return [apply(), apply()]
}

/** Returns the attributes that a client can set, with defaults for lists and `favorite`. */
export function pickSettable(item: object): Record<string, unknown> {
  const emptyItem = { favorite: false, tags: [], urls: [], sections: [], fields: [] }
  const names = ['category', 'title', ...Object.keys(emptyItem)]
  return Object.fromEntries(
    Object.entries({ ...emptyItem, ...item }).filter(([name]) => names.includes(name)),
  )
}

export const add = (path: string, value?: unknown): object => ({ op: 'add', path, value })
export const replace = (path: string, value?: unknown): object => ({ op: 'replace', path, value })
export const remove = (path: string): object => ({ op: 'remove', path })

/** Freezes a value deeply, so that every change of it throws. Views of buffers cannot be frozen. */
function freezeDeeply<Value>(value: Value): Value {
  if (Object.isFrozen(value) || ArrayBuffer.isView(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value as object)) freezeDeeply(member)
  return value
}
