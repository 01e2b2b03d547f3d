import { describe, expect, it } from 'vitest'
import {
  decodeRecord,
  encodeRecord,
  formatRecord,
  itemKey,
  parseRecord,
} from '../../src/core/item-record.js'
import { createVaultService, type Item, type RecordKey } from '../../src/index.js'
import { createTestVault, type TestVault } from '../../src/testing/index.js'
import { utf8 } from '../support/bytes.js'
import { filePlace } from '../support/places.js'
import { storageFailed } from '../support/refusals.js'
import { vaultCalls } from '../support/vault-calls.js'

const unreadable = { ...storageFailed, message: 'a stored record is not what a vault wrote' }
const onItems = vaultCalls.filter(({ names }) => names !== 'vault')
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
  ])(
    'holds %s: every operation on it fails as the store, and so does the list',
    async (_, spoil) => {
      for (const { run, name } of [
        ...onItems,
        ...vaultCalls.filter((call) => call.name === 'listItems'),
      ]) {
        const vault = await spoiled(spoil)
        await expect(
          run(vault.service, vault.caller, filePlace(vault)),
          name,
        ).rejects.toMatchObject(unreadable)
      }
    },
  )

  it('is refused also by a service that has read it before', async () => {
    const vault = await createTestVault()
    await vault.service.getItem(vault.caller, filePlace(vault))
    await spoil(vault, itemKey(filePlace(vault)), changed({ version: 99 }))
    await expect(vault.service.getItem(vault.caller, filePlace(vault))).rejects.toMatchObject(
      unreadable,
    )
  })

  it('is read anew by a service that remembers it, when it was written by hand', async () => {
    const vault = await createTestVault()
    await vault.service.getItem(vault.caller, filePlace(vault))
    await spoil(vault, itemKey(filePlace(vault)), changed({ title: 'By hand' }))
    expect(await vault.service.getItem(vault.caller, filePlace(vault))).toMatchObject({
      title: 'By hand',
    })
  })
})

describe('a record of a vault that no vault service wrote', () => {
  it.each<[string, Spoiling]>([
    ...strange,
    ['another vault', (body, { vaultId }) => utf8(textOf(body).replace(vaultId, 'z'.repeat(26)))],
    ['a version that is none', (body) => utf8(textOf(body).replace(':1,', ':0,'))],
  ])('holds %s: every operation on the vault fails as the store', async (_, spoilBody) => {
    for (const { run, name } of onVaults) {
      const vault = await createTestVault()
      await spoil(vault, { collection: 'vaults', id: vault.vaultId }, spoilBody)
      await expect(run(vault.service, vault.caller, filePlace(vault)), name).rejects.toMatchObject(
        unreadable,
      )
    }
  })
})

/** A service that has not seen the item, on a store where its record is spoiled. */
async function spoiled(change: Spoiling): Promise<TestVault> {
  const vault = await createTestVault()
  await spoil(vault, itemKey(filePlace(vault)), change)
  return { ...vault, service: createVaultService({ store: vault.store }) }
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
    const record = parseRecord(decodeRecord(body))
    return encodeRecord(formatRecord({ ...record, item: { ...record.item, ...changes } }))
  }
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body)
}
