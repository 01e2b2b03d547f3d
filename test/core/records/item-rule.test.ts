import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/core/operations.js'
import {
  createVaultService,
  ForbiddenError,
  InvalidInputError,
  type Item,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { itemRef } from '../../support/items/refs.js'
import { toCallRef } from '../../support/service/operation-examples.js'
import { ruleFailed } from '../../support/service/rejections.js'
import { vaultCalls } from '../../support/service/vault-calls.js'
import { createRecordingStore } from '../../support/stores/stores.js'

type Rule = NonNullable<VaultServiceOptions['validateItem']>

const refused = InvalidInputError.at('tags', 'must name the environment')
const rename = [{ op: 'replace', path: '/title', value: 'New' }] as const

/** The operations that write an item, except deleteItem. */
const writers = Object.values(operations).flatMap(({ name, activity }) => {
  const [action, type] = activity ?? []
  return type === 'ITEM' && (action === 'CREATE' || action === 'UPDATE') ? [name] : []
})

/** A second service on the store of a test vault. */
async function createRuled(validateItem: Rule, options: Partial<VaultServiceOptions> = {}) {
  const history = { maxVersions: 5 }
  const vault = await createTestVault({ history })
  const { caller, service } = vault
  await service.patchItem(caller, { ...itemRef(vault), patch: rename })
  const store = createRecordingStore(vault.store)
  return {
    ...{ vault, store, caller },
    ruled: createVaultService({ store, history, validateItem, ...options }),
  }
}

describe('validateItem', () => {
  const calls = vaultCalls.filter(({ name }) => writers.includes(name))

  it.each(calls)('is called with the item that $name stores, and the one before', async (call) => {
    const seen: unknown[] = []
    const { vault, ruled, caller } = await createRuled((item, { before, caller: { id } }) => {
      seen.push({ item, before, id })
    })
    const before = await vault.service.getItem(caller, itemRef(vault))
    await call.run(ruled, caller, toCallRef(vault))
    const items = await vault.service.getItems(caller, {
      vaultId: vault.vaultId,
      itemIds: (await vault.service.listItems(caller, { vaultId: vault.vaultId })).map(
        ({ id }) => id,
      ),
    })
    const isNew = call.name === 'createItem'
    const item = items.find(({ id }) => (id === vault.item.id) !== isNew)
    expect(seen).toEqual([{ item, before: isNew ? undefined : before, id: caller.id }])
  })

  it.each(calls)('prevents $name when it throws', async (call) => {
    const { vault, ruled, caller, store } = await createRuled(() => {
      throw refused
    })
    const before = await vault.service.getItem(caller, itemRef(vault))
    await expect(call.run(ruled, caller, toCallRef(vault))).rejects.toBe(refused)
    expect(await vault.service.getItem(caller, itemRef(vault))).toEqual(before)
    const { length } = await vault.service.listItems(caller, { vaultId: vault.vaultId })
    expect(length).toBe(1)
    if (call.name !== 'attachFile') expect(store.calls).not.toContain('records.put')
  })

  it('is not called by other operations', async () => {
    for (const call of vaultCalls.filter(({ name }) => !writers.includes(name))) {
      const { vault, ruled, caller } = await createRuled(() => {
        throw refused
      })
      await call.run(ruled, caller, toCallRef(vault))
    }
  })

  it('can throw a ForbiddenError', async () => {
    const error = new ForbiddenError('only administrators change cards')
    const { vault, ruled, caller } = await createRuled(() => {
      throw error
    })
    const patched = ruled.patchItem(caller, { ...itemRef(vault), patch: rename })
    await expect(patched).rejects.toBe(error)
  })

  it.each<[string, string, (item: Item) => unknown]>([
    [
      'throws an error of another library',
      'validateItem failed',
      () => {
        throw new Error('s3cret')
      },
    ],
    ['is asynchronous', 'validateItem must be synchronous and return nothing', async () => {}],
    [
      'is asynchronous and rejects',
      'validateItem must be synchronous and return nothing',
      () => Promise.reject(refused),
    ],
    ['returns a value', 'validateItem must be synchronous and return nothing', () => true],
  ])('prevents the change with 500 when it %s', async (_, message, rule) => {
    const { vault, ruled, caller, store } = await createRuled(rule as Rule)
    const { vaultId } = vault
    const failed = { ...ruleFailed, message }
    const patched = ruled.patchItem(caller, { ...itemRef(vault), patch: rename })
    await expect(patched).rejects.toMatchObject(failed)
    const created = ruled.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await expect(created).rejects.toMatchObject(failed)
    expect(store.calls).not.toContain('records.put')
  })

  it('has a type that an asynchronous function does not have', () => {
    const accept = (rule: Rule): number => rule.length
    expect(accept(requireTitle)).toBe(1)
    // @ts-expect-error: the promise would be settled after the write.
    expect(accept(async (_item) => {})).toBe(1)
    // @ts-expect-error: a result would be ignored.
    expect(accept((_item) => true)).toBe(1)
  })

  it('gets copies', async () => {
    const { vault, ruled, caller } = await createRuled((item, { before }) => {
      for (const one of [item, before]) Object.assign(one ?? {}, { title: 'Other', fields: [] })
    })
    const { vaultId } = vault
    const item = noteDraft(vaultId)
    const created = await ruled.createItem(caller, { vaultId, item })
    const patched = await ruled.patchItem(caller, { ...itemRef(vault), patch: rename })
    for (const one of [created, patched])
      expect(await ruled.getItem(caller, { vaultId, itemId: one.id })).toEqual(one)
    expect([created.title, patched.title]).toEqual([item.title, 'New'])
  })

  it('is called again with the item of the concurrent writer who came first', async () => {
    const versions: (number | undefined)[] = []
    const { vault, ruled, caller } = await createRuled((_, { before }) => {
      versions.push(before?.version)
    })
    const other = createVaultService({ store: vault.store })
    const { version } = await vault.service.getItem(caller, itemRef(vault))
    const change = (service: typeof other, value: string): Promise<Item> =>
      service.patchItem(caller, {
        ...itemRef(vault),
        patch: [{ op: 'add', path: '/tags/-', value }],
      })
    await Promise.all([change(ruled, 'a'), change(other, 'b')])
    expect(versions).toEqual([version, version + 1])
  })
})

/** A rule without a declared result, as most are written. */
function requireTitle({ title }: Item) {
  if (title === '') throw InvalidInputError.at('title', 'must not be empty')
}
