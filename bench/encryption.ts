/** The additional cost of an encrypted write and read, beside encrypting the same bytes. */

import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { VaultStore } from 'cofferkit'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { median } from './statistics.js'
import { collection, createBody, createId, indexKey } from './stores/rows.js'
import { fixed, verdict } from './table.js'

interface Contender {
  readonly name: string
  readonly task: (index: number) => Promise<void>
  /** CPU microseconds of one run, in each round. */
  readonly costs: number[]
}

const goal = 1.15
const count = 4000

/** Measures the first build. */
export async function benchEncryption({
  builds: [{ url }],
  rounds = 15,
}: BenchOptions): Promise<PartResults> {
  const build = loadBuild(url)
  const { createMemoryStore } = await build.memory()
  const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
  const key = crypto.getRandomValues(new Uint8Array(32))
  const keys = createLocalKeyProvider({ key })
  const cipher: Contender = { name: 'decrypt + encrypt', task: createCipherTask(key), costs: [] }
  const plain: Contender = {
    name: 'memory store',
    task: createStoreTask(createMemoryStore()),
    costs: [],
  }
  const encrypted: Contender = {
    name: 'encrypted memory store',
    task: createStoreTask(createEncryptedStore(createMemoryStore(), { keys })),
    costs: [],
  }
  const contenders = [cipher, plain, encrypted]
  for (let round = -2; round < rounds; round++) {
    for (const { task, costs } of contenders) {
      const before = process.cpuUsage()
      for (let index = 0; index < count; index++) await task(index)
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) costs.push((user + system) / count)
    }
  }
  const added = encrypted.costs.map((cost, round) => cost - (plain.costs[round] ?? Number.NaN))
  const ratio = median(added.map((cost, round) => cost / (cipher.costs[round] ?? Number.NaN)))
  const rows = [
    ['', 'µs', '÷ cipher', 'goal', ''],
    ...contenders.map(({ name, costs }) => [name, fixed(median(costs), 1)]),
    [
      'added by encryption',
      fixed(median(added), 1),
      fixed(ratio),
      `<= ${goal}`,
      verdict(ratio, goal),
    ],
  ]
  const title = 'Encryption, CPU of a get and a put of an item’s record'
  return { tables: [{ id: 'encryption', title, rows }] }
}

/** The same cipher on the same bytes, with a nonce and additional data of the store's lengths. */
function createCipherTask(key: Uint8Array): Contender['task'] {
  const additionalData = new Uint8Array(120)
  const nonce = new Uint8Array(24)
  const plaintext = createBody()
  const ciphertext = xchacha20poly1305(key, nonce, additionalData).encrypt(plaintext)
  return async () => {
    xchacha20poly1305(key, nonce, additionalData).decrypt(ciphertext)
    crypto.getRandomValues(nonce.slice())
    xchacha20poly1305(key, nonce, additionalData).encrypt(plaintext)
  }
}

function createStoreTask({ records }: VaultStore): Contender['task'] {
  const versions = new Map<string, number>()
  const body = createBody()
  return async (index) => {
    const id = createId(index % 512)
    const key = { collection, id }
    await records.get(key)
    const version = versions.get(id) ?? 0
    if (!(await records.put(key, { body, indexKey }, version)))
      throw new Error('a put was rejected')
    versions.set(id, version + 1)
  }
}
