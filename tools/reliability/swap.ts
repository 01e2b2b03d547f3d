/**
 * Shows that an encrypted record can only be decrypted under its own key and version. Every record
 * is stored under the key of every other, under other versions, cut at every length, and with every
 * bit flipped. None can be decrypted.
 *
 * `npm run prove -- swap [--short] [--records 1000]`
 */

import { parseArgs } from 'node:util'
import type { RecordKey, StoredRecord, VaultStore } from 'cofferkit'
import { DecryptionError } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, records: { type: 'string' } },
})
const count = Number(values.records ?? (values.short ? 100 : 1000))
const vaults = ['v1', 'v2', 'v3', 'v4']

/** The record that the inner store returns instead of its own. */
let forged: StoredRecord | undefined
const memory = createMemoryStore()
const inner: VaultStore = {
  blobs: memory.blobs,
  records: {
    ...memory.records,
    get: async (key) => (key.collection === 'keys' ? memory.records.get(key) : forged),
  },
}
const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
const store = createEncryptedStore(inner, { keys })

const recordKeys: RecordKey[] = []
const encrypted: StoredRecord[] = []
for (let index = 0; index < count; index++) {
  const key = { collection: `items/${vaults[index % vaults.length]}`, id: `item-${index >> 2}` }
  const indexKey = `title ${index % 10}`
  await store.records.put(key, { body: new TextEncoder().encode(`{"n":${index}}`), indexKey }, 0)
  const record = await memory.records.get(key)
  if (record === undefined) throw new Error('a record is missing')
  recordKeys.push(key)
  encrypted.push(record)
}

/** True if the bytes can be decrypted as the record of this key. */
async function isDecrypted(key: RecordKey, record: StoredRecord): Promise<boolean> {
  forged = record
  try {
    await store.records.get(key)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

interface Attempt {
  readonly key: RecordKey
  readonly record: StoredRecord
}

function* own(): Generator<Attempt> {
  for (const [index, record] of encrypted.entries()) yield { key: keyAt(index), record }
}

function* exchanged(): Generator<Attempt> {
  for (const [from, record] of encrypted.entries()) {
    for (const [to, key] of recordKeys.entries()) if (from !== to) yield { key, record }
  }
}

function* replayed(): Generator<Attempt> {
  for (const [index, { body }] of encrypted.entries()) {
    for (const version of [2, 3, 4, 5, 257, 65_537, 2 ** 31 - 1])
      yield { key: keyAt(index), record: { version, body } }
  }
}

function* truncated(): Generator<Attempt> {
  for (const [index, { version, body }] of encrypted.entries()) {
    for (let length = 0; length < body.length; length++)
      yield { key: keyAt(index), record: { version, body: body.subarray(0, length) } }
  }
}

function* flipped(): Generator<Attempt> {
  for (const [index, { version, body }] of encrypted.slice(0, count / 10).entries()) {
    for (let bit = 0; bit < body.length * 8; bit++) {
      const changed = body.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      yield { key: keyAt(index), record: { version, body: changed } }
    }
  }
}

function keyAt(index: number): RecordKey {
  const key = recordKeys[index]
  if (key === undefined) throw new RangeError('the record does not exist')
  return key
}

const kinds = { unchanged: own, exchanged, replayed, truncated, 'bits flipped': flipped }
const rows: {
  readonly records: string
  readonly tried: number
  decrypted: number
  seconds: number
}[] = []
for (const [name, attempts] of Object.entries(kinds)) {
  const start = performance.now()
  let [tried, decrypted] = [0, 0]
  for (const { key, record } of attempts()) {
    tried++
    if (await isDecrypted(key, record)) decrypted++
  }
  rows.push({
    records: name,
    tried,
    decrypted,
    seconds: Math.round((performance.now() - start) / 1000),
  })
}
printTable(rows)
const [unchanged, ...forgeries] = rows
if (unchanged?.decrypted !== count || forgeries.some(({ decrypted }) => decrypted > 0)) {
  print('a forged record was decrypted, or an unchanged one was not')
  process.exitCode = 1
}
