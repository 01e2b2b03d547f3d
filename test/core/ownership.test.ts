import { describe, expect, it } from 'vitest'
import { createVaultService, type ItemDraft, type PatchOperation } from '../../src/index.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { mutateDeeply } from '../support/arbitraries/mutate-deeply.js'
import { loginDraft } from '../support/drafts.js'
import { itemRef } from '../support/items/refs.js'
import { readRecords } from '../support/stores/stores.js'

const fullDraft = (vaultId: string): ItemDraft => ({
  ...loginDraft(vaultId),
  fields: [
    ...(loginDraft(vaultId).fields ?? []),
    { id: 'made', generate: true, recipe: { characterSets: ['DIGITS'], length: 4 } },
  ],
})
const fullPatch = (): PatchOperation[] => [
  { op: 'replace', path: '/tags', value: ['a', 'b'] },
  {
    op: 'add',
    path: '/sections',
    value: [{ id: 'more' }, { id: 's', label: 'S' }],
  },
  { op: 'add', path: '/fields/f', value: { label: 'F', section: { id: 's' } } },
  { op: 'add', path: '/urls', value: [{ href: 'https://b.example', primary: true }] },
]

describe('createVaultService: results belong to the caller', () => {
  it.each<[string, (vault: TestVault) => Promise<unknown>]>([
    [
      'createItem',
      ({ service, caller, vaultId }) =>
        service.createItem(caller, { vaultId, item: fullDraft(vaultId) }),
    ],
    [
      'replaceItem',
      ({ service, caller, ...vault }) =>
        service.replaceItem(caller, { ...itemRef(vault), item: fullDraft(vault.vaultId) }),
    ],
    [
      'patchItem',
      ({ service, caller, ...vault }) =>
        service.patchItem(caller, { ...itemRef(vault), patch: fullPatch() }),
    ],
    [
      'an empty patch',
      ({ service, caller, ...vault }) =>
        service.patchItem(caller, { ...itemRef(vault), patch: [] }),
    ],
    ['getItem', ({ service, caller, ...vault }) => service.getItem(caller, itemRef(vault))],
    ['listItems', ({ service, caller, vaultId }) => service.listItems(caller, { vaultId })],
    ['getVault', ({ service, caller, vaultId }) => service.getVault(caller, { vaultId })],
    ['createVault', ({ service, caller }) => service.createVault(caller, { name: 'V' })],
    [
      'attachFile',
      ({ service, caller, ...vault }) =>
        service.attachFile(caller, {
          ...itemRef(vault),
          name: 'f',
          content: Uint8Array.of(1),
          sectionId: 'more',
        }),
    ],
    [
      'getFileDetails',
      ({ service, caller, smallFile, ...vault }) =>
        service.getFileDetails(caller, { ...itemRef(vault), fileId: smallFile.id }),
    ],
    [
      'getFileDetails with content',
      ({ service, caller, smallFile, ...vault }) =>
        service.getFileDetails(caller, {
          ...itemRef(vault),
          fileId: smallFile.id,
          inlineFiles: true,
        }),
    ],
  ])('%s: modifying the result affects no later read or write', async (_, run) => {
    const vault = await createTestVault()
    const control = await createTestVault()
    for (const round of [1, 2]) {
      await run(control)
      const result = await run(vault)
      expect(await readAll(vault), `before modification ${round}`).toStrictEqual(
        await readAll(control),
      )
      mutateDeeply(result)
      expect(await readAll(vault), `after modification ${round}`).toStrictEqual(
        await readAll(control),
      )
    }
    for (const { service, caller, ...ref } of [vault, control]) {
      await service.patchItem(caller, { ...itemRef(ref), patch: fullPatch() })
    }
    expect(await readRecords(vault.store, vault.vaultId)).toEqual(
      await readRecords(control.store, control.vaultId),
    )
  })
})

describe('createVaultService: inputs belong to the caller', () => {
  it('createItem and replaceItem do not modify or share the body', async () => {
    const { service, caller, vaultId, ...vault } = await createTestVault()
    const body = fullDraft(vaultId)
    const created = await service.createItem(caller, { vaultId, item: freeze(body) })
    expect(body).toStrictEqual(fullDraft(vaultId))
    const replacement = structuredClone(body)
    const ref = itemRef({ ...vault, vaultId })
    const replaced = await service.replaceItem(caller, { ...ref, item: replacement })
    expect(replacement).toStrictEqual(fullDraft(vaultId))
    const before = structuredClone(replaced)
    mutateDeeply(replacement)
    expect(replaced).toStrictEqual(before)
    expect(await service.getItem(caller, ref)).toStrictEqual(before)
    const draft = structuredClone(body)
    const second = await service.createItem(caller, { vaultId, item: draft })
    mutateDeeply(draft)
    expect(await service.getItem(caller, { vaultId, itemId: second.id })).toStrictEqual(second)
    expect(second.tags).toEqual(created.tags)
  })

  it('patchItem does not modify or share the patch', async () => {
    const { service, caller, ...vault } = await createTestVault()
    const frozen = freeze(fullPatch())
    await service.patchItem(caller, { ...itemRef(vault), patch: frozen })
    expect(frozen).toStrictEqual(fullPatch())
    const patch: PatchOperation[] = [{ op: 'replace', path: '', value: fullDraft(vault.vaultId) }]
    const patched = await service.patchItem(caller, { ...itemRef(vault), patch })
    const before = structuredClone(patched)
    mutateDeeply(patch)
    expect(patched).toStrictEqual(before)
    expect(await service.getItem(caller, itemRef(vault))).toStrictEqual(before)
  })

  it('replaceItem accepts a returned item, even frozen', async () => {
    const { service, caller, item, ...vault } = await createTestVault()
    const ref = itemRef({ ...vault, item })
    const replaced = await service.replaceItem(caller, { ...ref, item: freeze(item) })
    expect(replaced).toStrictEqual({ ...item, version: item.version + 1 })
  })

  it('ignores later modifications of the options', async () => {
    const { store, caller, ...vault } = await createTestVault()
    const limits = { tags: 2 }
    const options = { store, limits, maxInlineFileSizeKb: 1 }
    const service = createVaultService(options)
    limits.tags = 0
    options.maxInlineFileSizeKb = 0
    const item = loginDraft(vault.vaultId)
    expect(await service.replaceItem(caller, { ...itemRef(vault), item })).toMatchObject({
      tags: ['work', 'mail'],
    })
    const file = { ...itemRef(vault), fileId: vault.smallFile.id, inlineFiles: true }
    expect(await service.getFileDetails(caller, file)).toHaveProperty('content')
  })
})

/** Everything that can be read from the test vault. */
async function readAll({ service, caller, smallFile, ...vault }: TestVault): Promise<unknown> {
  const { vaultId } = vault
  const listed = await service.listItems(caller, { vaultId })
  const items = listed.map(({ id }) => service.getItem(caller, { vaultId, itemId: id }))
  const file = { ...itemRef(vault), fileId: smallFile.id }
  return [
    await service.getVault(caller, { vaultId }),
    listed,
    await Promise.all(items),
    await service.getFileDetails(caller, file),
    await service.getFileDetails(caller, { ...file, inlineFiles: true }),
  ]
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(Object.freeze(value))) freeze(member)
  }
  return value
}
