import { describe, expect, it } from 'vitest'
import { contractDialect } from '../../../src/dialects/contract.js'
import type { Dialect } from '../../../src/dialects/dialect.js'
import {
  createCaller,
  createVaultService,
  type FieldDraft,
  type PatchOperation,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault } from '../../../src/testing.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'

const relabel: PatchOperation = { op: 'replace', path: '/fields/password/label', value: 'Secret' }

/** Returns the contract dialect with a change of the fields of every body of an existing item. */
function dialectWith(
  change: (fields: readonly FieldDraft[]) => readonly FieldDraft[],
  bodies: unknown[] = [],
): Dialect {
  return {
    ...contractDialect,
    parseItem(body, ref) {
      const draft = contractDialect.parseItem(body, ref)
      if (ref.itemId === undefined) return draft
      bodies.push(body)
      return { ...draft, fields: change((draft.fields ?? []) as readonly FieldDraft[]) }
    },
  }
}

describe('patchItem', () => {
  it('changes only the given paths and returns the next version', async () => {
    const vault = await createTestVault()
    vault.clock.advance(1)
    const patched = await vault.service.patchItem(createCaller({ id: 'wendy', vaults: '*' }), {
      ...itemRef(vault),
      patch: [
        { op: 'replace', path: '/title', value: 'Renamed' },
        { op: 'add', path: '/tags/-', value: 'new' },
      ],
    })
    expect(patched).toStrictEqual({
      ...vault.item,
      title: 'Renamed',
      tags: ['work', 'mail', 'new'],
      version: vault.item.version + 1,
      updatedAt: '2026-01-01T00:00:00.001Z',
      lastEditedBy: 'wendy',
    })
    expect(await getCurrentItem(vault)).toStrictEqual(patched)
  })

  it('gives the dialect the whole fields that it has made, and ids and sections of the others', async () => {
    const bodies: unknown[] = []
    const vault = await createTestVault({ dialect: dialectWith((fields) => fields, bodies) })
    const added = { id: 'new', value: 'x' }
    const patched = await vault.service.patchItem(vault.caller, {
      ...itemRef(vault),
      patch: [relabel, { op: 'add', path: '/fields/-', value: added }],
    })
    const given = vault.item.fields.map((field) =>
      field.id === 'password'
        ? { ...field, label: 'Secret' }
        : { id: field.id, section: field.section },
    )
    expect(bodies).toEqual([expect.objectContaining({ fields: [...given, added] })])
    expect(patched.fields).toEqual([
      ...vault.item.fields.map((field) =>
        field.id === 'password' ? { ...field, label: 'Secret' } : field,
      ),
      { ...added, type: 'STRING' },
    ])
  })

  it('rejects another field of the same id', async () => {
    const vault = await createTestVault()
    const fields = [...vault.item.fields.map(({ id }) => ({ id })), { id: 'password', value: 'x' }]
    const patching = vault.service.patchItem(vault.caller, {
      ...itemRef(vault),
      patch: [{ op: 'replace', path: '/fields', value: fields }],
    })
    const path = `fields/${vault.item.fields.length}/id`
    const issue = { path, message: 'must not be the id of another field' }
    await expect(patching).rejects.toMatchObject({ issues: expect.arrayContaining([issue]) })
  })

  it.each([
    [{ op: 'replace', path: '/fields/password/value', value: 'a\0' }, 'value'],
    [{ op: 'replace', path: '/fields/password/purpose', value: 'OTHER' }, 'purpose'],
    [{ op: 'replace', path: '/fields/password/purpose', value: 'USERNAME' }, 'purpose'],
  ] as const)(
    'names an invalid field by its index in the item when the patch is %j',
    async (operation, name) => {
      const vault = await createTestVault()
      const index = vault.item.fields.findIndex(({ id }) => id === 'password')
      const patching = vault.service.patchItem(vault.caller, {
        ...itemRef(vault),
        patch: [operation],
      })
      const path = `fields/${index}/${name}`
      await expect(patching).rejects.toMatchObject({ issues: [{ path }] })
    },
  )

  it.each<[string, (fields: readonly FieldDraft[]) => readonly FieldDraft[], number]>([
    ['adds a field', (fields) => [...fields, { id: 'added' }], 1],
    ['leaves a field out', (fields) => fields.slice(1), -1],
  ])('keeps unchanged fields when the dialect %s', async (_what, change, difference) => {
    const vault = await createTestVault({ dialect: dialectWith(change) })
    const patched = await vault.service.patchItem(vault.caller, {
      ...itemRef(vault),
      patch: [relabel],
    })
    expect(patched.fields).toHaveLength(vault.item.fields.length + difference)
  })

  it('rejects a list of fields with a gap beyond the stored ones', async () => {
    const vault = await createTestVault()
    const fields = [...vault.item.fields, undefined]
    const patch: PatchOperation[] = [{ op: 'replace', path: '', value: { ...vault.item, fields } }]
    await expect(
      vault.service.patchItem(vault.caller, { ...itemRef(vault), patch }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: `fields/${vault.item.fields.length}`, message: 'must be an object' }],
    })
  })

  it('rejects more fields than the limit when the patch adds one', async () => {
    const { item } = await createTestVault()
    const fields = item.fields.length
    const vault = await createTestVault({ limits: { fields } })
    const patching = vault.service.patchItem(vault.caller, {
      ...itemRef(vault),
      patch: [{ op: 'add', path: '/fields/-', value: { id: 'more', value: 'x' } }],
    })
    const message = `must be at most ${fields} elements long`
    await expect(patching).rejects.toMatchObject({ issues: [{ path: 'fields', message }] })
  })

  it('rejects with GenerationError when the random source yields nothing', async () => {
    const store = createMemoryStore()
    const vault = await createTestVault({ store })
    const service = createVaultService({ store, randomBytes: () => new Uint8Array(0) })
    const patching = service.patchItem(vault.caller, {
      ...itemRef(vault),
      patch: [{ op: 'add', path: '/fields/-', value: { id: 'made', generate: true } }],
    })
    await expect(patching).rejects.toMatchObject({ code: 'GENERATION_FAILED' })
  })
})
