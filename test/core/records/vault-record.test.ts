import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../src/core/records/item-record.js'
import type { Item, RecordKey } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { recordIn, recordOf } from '../../support/items/item-records.js'
import { filePlace } from '../../support/items/refs.js'
import { storageFailed } from '../../support/service/rejections.js'
import { type VaultCall, vaultCalls } from '../../support/service/vault-calls.js'

const unreadable = { ...storageFailed, message: 'a stored record contains unexpected data' }
const onFiles = vaultCalls.filter(({ names, name }) => names === 'file' || name === 'listFiles')
const onItems = vaultCalls.filter(({ names, name }) => names === 'item' && name !== 'listFiles')
const onVaults = vaultCalls.filter(({ names }) => names === 'vault')

type Spoiling = (body: Uint8Array, vault: TestVault) => Uint8Array

const strange: [string, Spoiling][] = [
  ['nothing', () => new Uint8Array(0)],
  ['no UTF-8', (body) => body.with(body.length - 3, 0xff)],
  ['no JSON', (body) => body.slice(0, -1)],
  ['JSON of another shape', () => utf8('{"format":1,"blobs":{}}\n{"SECRET":1}')],
  ['JSON of another shape in one line', () => utf8('{"SECRET":1}')],
]

describe('a record of an item that no vault wrote', () => {
  it.each<[string, Spoiling]>([
    ...strange,
    ['another item', changed({ id: 'z'.repeat(26) })],
    ['an item of another vault', changed({ vault: { id: 'z'.repeat(26) } })],
    ['a later version', changed({ version: 99 })],
    ['an earlier version', changed({ version: 1 })],
  ])('holds %s: every operation on it fails as the store, and so do the lists', (_, spoiling) =>
    expectUnreadable(
      [...onItems, ...onVaults.filter(({ name }) => /^(list|get)Items$/.test(name))],
      spoiling,
    ),
  )

  it.each<[string, Spoiling]>([
    ['nothing', () => new Uint8Array(0)],
    ['no UTF-8', (body) => body.with(body.length - 3, 0xff)],
    ['a head that is no JSON', (body) => body.slice(1)],
    ['a head of another shape', () => utf8('{"SECRET":1}\n{}')],
    ['a file of another item', (body) => replaced(body, '/items/', '/items/z')],
  ])('holds %s: every operation on its files fails as the store', (_, spoiling) =>
    expectUnreadable(onFiles, spoiling),
  )
})

describe('a record of a vault that no vault service wrote', () => {
  it.each<[string, Spoiling]>([
    ...strange,
    ['another vault', (body, { vaultId }) => utf8(textOf(body).replace(vaultId, 'z'.repeat(26)))],
    ['a version that is none', (body) => utf8(textOf(body).replace(':1,', ':0,'))],
    ['another version', (body) => utf8(textOf(body).replace(':1,', ':7,'))],
  ])('holds %s: reading the vault fails as the store', async (_, spoilBody) => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    await spoil(vault, { collection: 'vaults', id: vaultId }, spoilBody)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject(unreadable)
  })

  it('still says that there is a vault: its items are created and listed', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    await spoil(vault, { collection: 'vaults', id: vaultId }, () => new Uint8Array(0))
    const { id } = await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', vault: { id: vaultId } },
    })
    const listed = await service.listItems(caller, { vaultId })
    expect(listed.map((item) => item.id)).toContain(id)
  })
})

async function expectUnreadable(calls: readonly VaultCall[], spoiling: Spoiling): Promise<void> {
  expect(calls.length).toBeGreaterThan(0)
  for (const { run, name } of calls) {
    const vault = await createTestVault()
    await spoil(vault, itemKey(filePlace(vault)), spoiling)
    const call = run(vault.service, vault.caller, filePlace(vault))
    await expect(call, name).rejects.toMatchObject(unreadable)
  }
}

function replaced(body: Uint8Array, before: string, after: string): Uint8Array {
  const text = textOf(body)
  expect(text).toContain(before)
  return utf8(text.replace(before, after))
}

/** Writes other bytes in the place of a record, at the version that it has. */
async function spoil(vault: TestVault, key: RecordKey, change: Spoiling): Promise<void> {
  const { records } = vault.store
  const stored = await records.get(key)
  if (stored === undefined) throw new Error('there is no record to be spoiled')
  await records.delete(key, stored.version)
  const body = change(stored.body, vault)
  for (let seen = 0; seen < stored.version; seen++) await records.put(key, { body }, seen)
}

function changed(changes: Partial<Item>): Spoiling {
  return (body) => {
    const record = recordIn(body)
    return recordOf({ ...record, item: { ...record.item, ...changes } })
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
