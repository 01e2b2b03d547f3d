import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import {
  createVaultService,
  type Item,
  type ItemDraft,
  type NewItemDraft,
} from '../../../src/index.js'
import { createItemRules } from '../../../src/rules.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes, createTestClock, createTestVault } from '../../../src/testing.js'
import { caseNumbers, createDraw, drawItem } from '../../support/arbitraries/items.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { invalid } from '../../support/service/rejections.js'

const invalidMembers: readonly (readonly [string, unknown])[] = [
  ['id', 'x'],
  ['state', 'GONE'],
  ['version', '1'],
  ['createdAt', 'now'],
  ['updatedAt', 5],
  ['lastEditedBy', null],
  ['files', [{ name: 5 }]],
]

describe.each([contractDialect, connectDialect])(
  'replaceItem and patchItem in the $name dialect',
  (dialect) => {
    const isContract = dialect === contractDialect

    it('accept the result of getItem unchanged and keep the managed members', {}, async () => {
      const law = fc.asyncProperty(caseNumbers, async (numbers) => {
        const draw = createDraw(numbers)
        const now = createTestClock()
        const service = createVaultService({
          store: createMemoryStore(),
          randomBytes: createSeededRandomBytes(),
          now,
          dialect,
        })
        const caller = { id: draw(['tester', '7', 'a\0b', '\ud800']), can: () => true }
        const { id: vaultId } = await service.createVault(caller, { name: 'Vault' })
        const create = (draft: object) =>
          service.createItem(caller, {
            vaultId,
            item: { ...draft, vault: { id: vaultId } } as ItemDraft,
          })
        const { id: itemId } = await create(drawItem(draw)).catch(() =>
          create({ category: 'LOGIN' }),
        )
        const ref = { vaultId, itemId }
        for (const name of draw([[], ['a'], ['a', '"b"']]))
          await service.attachFile(caller, { ...ref, name, content: Uint8Array.of(1, 2) })
        const read = JSON.parse(JSON.stringify(await service.getItem(caller, ref)))
        const send = draw([
          (item: Item) => service.replaceItem(caller, { ...ref, item }),
          (value: Item) =>
            service.patchItem(caller, { ...ref, patch: [{ op: 'replace', path: '', value }] }),
        ])
        const [name, value] = draw(invalidMembers)
        const changed = send({ ...read, [name]: value })
        if (isContract) await expect(changed).rejects.toMatchObject(invalid())
        else expect(await changed).toStrictEqual({ ...read, version: read.version + 1 })
        now.advance(5)
        expect(await send(read)).toStrictEqual({
          ...read,
          version: read.version + (isContract ? 1 : 2),
          updatedAt: '2026-01-01T00:00:00.005Z',
        })
      })
      await fc.assert(law, { numRuns: propertyRuns(200) })
    })
  },
)

describe('replaceItem', () => {
  it.each([contractDialect, connectDialect])(
    'adds the vault of the operation when the item names none, in the $name dialect',
    async (dialect) => {
      const { service, caller, vaultId, item } = await createTestVault({ dialect })
      const { vault: _, ...draft } = { ...item, title: 'Renamed' }
      const replaced = await service.replaceItem(caller, { vaultId, itemId: item.id, item: draft })
      expect(replaced).toEqual({ ...item, title: 'Renamed', version: item.version + 1 })
      const again: NewItemDraft = { ...draft, vault: undefined, title: 'Again' }
      const next = await service.as(caller).replaceItem({ vaultId, itemId: item.id, item: again })
      expect(next).toMatchObject({ title: 'Again', vault: { id: vaultId } })
    },
  )

  it('rejects another vault', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const other = { ...item, vault: { id: 'z'.repeat(26) } }
    const call = service.replaceItem(caller, { vaultId, itemId: item.id, item: other })
    await expect(call).rejects.toMatchObject({
      issues: [{ path: 'vault/id', message: 'must be the vault of the operation (vaultId)' }],
    })
  })

  it('needs the vault over HTTP', async () => {
    const { fetch, vaultId, item, tokens } = await createTestVault()
    const { vault: _, ...draft } = item
    const response = await fetch(`/v1/vaults/${vaultId}/items/${item.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${tokens.full}`, 'content-type': 'application/json' },
      body: JSON.stringify(draft),
    })
    expect(response.status).toBe(400)
  })
})

describe('createItemRules: replace', () => {
  it('adds the vault of the item when the draft names none', async () => {
    const { item } = await createTestVault()
    const { vault: _, ...draft } = { ...item, title: 'Renamed' }
    const { vault, title } = createItemRules().replace(item, draft)
    expect({ vault, title }).toEqual({ vault: item.vault, title: 'Renamed' })
  })
})
