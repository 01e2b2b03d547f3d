import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../src/core/records/item-record.js'
import type { Item, RecordKey } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { formatRecord, parseRecord } from '../../support/items/item-records.js'
import { fileRef } from '../../support/items/refs.js'
import { type VaultCall, vaultCalls } from '../../support/service/vault-calls.js'

/** The error of a record that is stored but cannot be read. */
const unreadable = {
  code: 'DECRYPTION_FAILED',
  status: 500,
  message: expect.stringMatching(
    /^(?:item|vault) \w{26} cannot be read: it is damaged at version /,
  ),
}
const fileCalls = vaultCalls.filter(({ names, name }) => names === 'file' || name === 'listFiles')
const itemCalls = vaultCalls.filter(
  ({ names, name }) => names === 'item' && !['listFiles', 'deleteItem'].includes(name),
)
const getItems = vaultCalls.filter(({ name }) => name === 'getItems')

type CorruptBody = (body: Uint8Array, vault: TestVault) => Uint8Array

const corruptBodies: [string, CorruptBody][] = [
  ['no bytes', () => new Uint8Array(0)],
  ['invalid UTF-8', (body) => body.with(body.length - 3, 0xff)],
  ['invalid JSON', (body) => body.slice(0, -1)],
  ['JSON of another shape', () => utf8('{"format":1,"blobs":{}}\n{"SECRET":1}')],
  ['JSON of another shape in one line', () => utf8('{"SECRET":1}')],
]

describe('parseItemRecord of a corrupt record', () => {
  it.each<[string, CorruptBody]>([
    ...corruptBodies,
    ['another item', withItem({ id: 'z'.repeat(26) })],
    ['an item of another vault', withItem({ vault: { id: 'z'.repeat(26) } })],
    ['a later version', withItem({ version: 99 })],
    ['an earlier version', withItem({ version: 1 })],
  ])('every operation on the item but deleteItem throws DecryptionError for %s', (_, corruptBody) =>
    expectUnreadable([...itemCalls, ...getItems], corruptBody),
  )

  it.each<[string, CorruptBody]>([
    ['no bytes', () => new Uint8Array(0)],
    ['a header that is not UTF-8', (body) => body.with(3, 0xff)],
    ['a header that is not JSON', (body) => body.slice(1)],
    ['a header of another shape', () => utf8('{"SECRET":1}\n{}')],
  ])('every operation on its files throws DecryptionError for %s', (_, corruptBody) =>
    expectUnreadable(fileCalls, corruptBody),
  )

  it('every operation on its files throws StorageError for a file of another item', async () => {
    for (const { run, name } of fileCalls) {
      const vault = await createTestVault()
      const corruptBody: CorruptBody = (body) => replaced(body, '/items/', '/items/z')
      await corruptRecordOf(vault, itemKey(fileRef(vault)), corruptBody)
      const call = run(vault.service, vault.caller, fileRef(vault))
      await expect(call, name).rejects.toMatchObject({ code: 'STORAGE_FAILED', status: 500 })
    }
  })
})

describe('parseVaultRecord of a corrupt record', () => {
  it.each<[string, CorruptBody]>([
    ...corruptBodies,
    ['another vault', (body, { vaultId }) => utf8(textOf(body).replace(vaultId, 'z'.repeat(26)))],
    ['an invalid version', (body) => utf8(textOf(body).replace(':1,', ':0,'))],
    ['another version', (body) => utf8(textOf(body).replace(':1,', ':7,'))],
  ])('getVault throws DecryptionError for %s', async (_, corruptBody) => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    await corruptRecordOf(vault, { collection: 'vaults', id: vaultId }, corruptBody)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject(unreadable)
  })

  it('still creates and lists items of the vault', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    await corruptRecordOf(vault, { collection: 'vaults', id: vaultId }, () => new Uint8Array(0))
    const { id } = await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', vault: { id: vaultId } },
    })
    const listed = await service.listItems(caller, { vaultId })
    expect(listed.map((item) => item.id)).toContain(id)
  })
})

async function expectUnreadable(
  calls: readonly VaultCall[],
  corruptBody: CorruptBody,
): Promise<void> {
  expect(calls.length).toBeGreaterThan(0)
  for (const { run, name } of calls) {
    const vault = await createTestVault()
    await corruptRecordOf(vault, itemKey(fileRef(vault)), corruptBody)
    const call = run(vault.service, vault.caller, fileRef(vault))
    await expect(call, name).rejects.toMatchObject(unreadable)
  }
}

function replaced(body: Uint8Array, before: string, after: string): Uint8Array {
  const text = textOf(body)
  expect(text).toContain(before)
  return utf8(text.replace(before, after))
}

/** Replaces the body of a record and keeps its version. */
async function corruptRecordOf(
  vault: TestVault,
  key: RecordKey,
  change: CorruptBody,
): Promise<void> {
  const { records } = vault.store
  const stored = await records.get(key)
  if (stored === undefined) throw new Error('the record does not exist')
  await records.delete(key, stored.version)
  const body = change(stored.body, vault)
  for (let version = 0; version < stored.version; version++)
    await records.put(key, { body }, version)
}

function withItem(changes: Partial<Item>): CorruptBody {
  return (body) => {
    const record = parseRecord(body)
    return formatRecord({ ...record, item: { ...record.item, ...changes } })
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
