/**
 * Shows that a sealed record opens in its own row, as its own version, and nowhere else: every record is put in the
 * place of every other, back under other versions, cut at every length, and with every bit flipped. None may open.
 *
 * `npm run proof:swap -- [--short] [--records 1000]`
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

/** What the store beneath answers instead of what it holds. */
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

const places: RecordKey[] = []
const sealed: StoredRecord[] = []
for (let index = 0; index < count; index++) {
  const ref = { collection: `items/${vaults[index % vaults.length]}`, id: `item-${index >> 2}` }
  const indexKey = `title ${index % 10}`
  await store.records.put(ref, { body: new TextEncoder().encode(`{"n":${index}}`), indexKey }, 0)
  const record = await memory.records.get(ref)
  if (record === undefined) throw new Error('a record is not there')
  places.push(ref)
  sealed.push(record)
}

/** Whether the bytes are taken for the record of a place. */
async function opens(ref: RecordKey, record: StoredRecord): Promise<boolean> {
  forged = record
  try {
    await store.records.get(ref)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

interface Attempt {
  readonly place: RecordKey
  readonly record: StoredRecord
}

function* own(): Generator<Attempt> {
  for (const [index, record] of sealed.entries()) yield { place: at(index), record }
}

function* exchanged(): Generator<Attempt> {
  for (const [from, record] of sealed.entries()) {
    for (const [to, ref] of places.entries()) if (from !== to) yield { place: ref, record }
  }
}

function* replayed(): Generator<Attempt> {
  for (const [index, { body }] of sealed.entries()) {
    for (const version of [2, 3, 4, 5, 257, 65_537, 2 ** 31 - 1])
      yield { place: at(index), record: { version, body } }
  }
}

function* truncated(): Generator<Attempt> {
  for (const [index, { version, body }] of sealed.entries()) {
    for (let length = 0; length < body.length; length++)
      yield { place: at(index), record: { version, body: body.subarray(0, length) } }
  }
}

function* flipped(): Generator<Attempt> {
  for (const [index, { version, body }] of sealed.slice(0, count / 10).entries()) {
    for (let bit = 0; bit < body.length * 8; bit++) {
      const changed = body.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      yield { place: at(index), record: { version, body: changed } }
    }
  }
}

function at(index: number): RecordKey {
  const ref = places[index]
  if (ref === undefined) throw new RangeError('there is no such record')
  return ref
}

const kinds = { 'as they are': own, exchanged, replayed, truncated, 'bits flipped': flipped }
const rows: {
  readonly records: string
  readonly tried: number
  opened: number
  seconds: number
}[] = []
for (const [name, attempts] of Object.entries(kinds)) {
  const began = performance.now()
  let [tried, opened] = [0, 0]
  for (const { place: ref, record } of attempts()) {
    tried++
    if (await opens(ref, record)) opened++
  }
  rows.push({
    records: name,
    tried,
    opened,
    seconds: Math.round((performance.now() - began) / 1000),
  })
}
printTable(rows)
const [asTheyAre, ...forgeries] = rows
if (asTheyAre?.opened !== count || forgeries.some(({ opened }) => opened > 0)) {
  print('a promise is broken')
  process.exitCode = 1
}
