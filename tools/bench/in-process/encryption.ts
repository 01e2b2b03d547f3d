/** The cost of encryption in a get and a put, and in a patch, by the size of the item. */

import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { VaultStore } from 'cofferkit'
import { loadBuild } from '../load-build.js'
import { median } from '../measure.js'
import type { BenchOptions } from '../run.js'
import { draft, vaultId } from '../sample.js'
import { fixed, type Table } from '../table.js'

interface Task {
  readonly name: string
  run(): Promise<unknown>
}

/** Bytes of a record, and the number of runs in a round. */
const sizes = [
  { title: '2 KB', bytes: 2_400, count: 400 },
  { title: '64 KB', bytes: 65_536, count: 40 },
  { title: '1.9 MB', bytes: 1_900_000, count: 2 },
] as const

/** Measures the first build. */
export async function benchEncryption({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<readonly Table[]> {
  const build = loadBuild(url)
  const { createMemoryStore } = await build.memory()
  const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
  const { createVaultService, createCaller } = await build.core()
  const key = crypto.getRandomValues(new Uint8Array(32))
  const stores = [
    { name: 'plain', store: createMemoryStore() },
    {
      name: 'encrypted',
      store: createEncryptedStore(createMemoryStore(), { keys: createLocalKeyProvider({ key }) }),
    },
  ]
  const caller = createCaller('bench', '*')
  const createPatch = async (store: VaultStore, bytes: number): Promise<Task['run']> => {
    const service = createVaultService({ store })
    const { id } = await service.createVault(caller, { name: 'bench' })
    const value = 'x'.repeat(Math.min(bytes, 60_000))
    const length = Math.floor((bytes - 2_300) / value.length)
    const notes = Array.from({ length: Math.max(0, length) }, (_, index) => {
      return { id: `note${index}`, value }
    })
    const { fields, ...rest } = draft(0, id)
    const item = { ...rest, fields: [...fields, ...notes] }
    const { id: itemId } = await service.createItem(caller, { vaultId: id, item })
    const patch = [{ op: 'replace', path: '/fields/field17/value', value: 'changed' }] as const
    return () => service.patchItem(caller, { vaultId: id, itemId, patch })
  }
  const rows: string[][] = []
  for (const { title, bytes, count } of sizes) {
    const body = new Uint8Array(bytes).fill(120)
    const getAndPut = await measure(
      [
        { name: 'cipher', run: createCipher(key, body) },
        ...stores.map(({ name, store }) => ({ name, run: createGetAndPut(store, title, body) })),
      ],
      count,
      rounds,
    )
    rows.push([`get and put of ${title}`, ...getAndPut])
    const patches: Task[] = []
    for (const { name, store } of stores)
      patches.push({ name, run: await createPatch(store, bytes) })
    rows.push([`patch of an item of ${title}`, '', ...(await measure(patches, count, rounds))])
  }
  const title = 'Encryption, CPU µs'
  return [{ id: 'encryption', title, rows: [['', 'cipher alone', 'plain', 'encrypted'], ...rows] }]
}

/** Returns the medians of tasks that take turns, in CPU microseconds of a run. */
async function measure(
  tasks: readonly Task[],
  count: number,
  rounds: number,
): Promise<readonly string[]> {
  const costs = new Map(tasks.map((task): [Task, number[]] => [task, []]))
  for (let round = -3; round < rounds; round++) {
    for (const [task, figures] of costs) {
      const before = process.cpuUsage()
      for (let index = 0; index < count; index++) await task.run()
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) figures.push((user + system) / count)
    }
  }
  return [...costs.values()].map((figures) => fixed(median(figures), 0))
}

/** Decrypts and encrypts with the cipher of the store, and nothing else. */
function createCipher(key: Uint8Array, plaintext: Uint8Array): Task['run'] {
  const additionalData = new Uint8Array(120)
  const nonce = new Uint8Array(24)
  const ciphertext = xchacha20poly1305(key, nonce, additionalData).encrypt(plaintext)
  return async () => {
    xchacha20poly1305(key, nonce, additionalData).decrypt(ciphertext)
    xchacha20poly1305(key, nonce, additionalData).encrypt(plaintext)
  }
}

function createGetAndPut({ records }: VaultStore, id: string, body: Uint8Array): Task['run'] {
  const key = { collection: `items/${vaultId}`, id: id.replaceAll(' ', '') }
  let version = 0
  return async () => {
    await records.get(key)
    if (!(await records.put(key, { body, indexKey: 'Account' }, version++)))
      throw new Error('a put was rejected')
  }
}
