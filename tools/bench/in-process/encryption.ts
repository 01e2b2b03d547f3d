/** The cost of encryption in a patch, by the size of the item, and in a file. */

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

type EncryptedModule = typeof import('cofferkit/encrypted')

/** Bytes of an item, and the number of runs in a round. */
const sizes = [
  { title: '2 KB', bytes: 2_400, count: 400 },
  { title: '64 KB', bytes: 65_536, count: 40 },
  { title: '1.9 MB', bytes: 1_900_000, count: 2 },
] as const

const fileMegabytes = 100

/** Measures the first build. */
export async function benchEncryption({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<readonly Table[]> {
  const build = loadBuild(url)
  const { createMemoryStore } = await build.memory()
  const encrypted = await build.encrypted()
  const { createVaultService, createCaller } = await build.core()
  const key = crypto.getRandomValues(new Uint8Array(32))
  const createStore = ({ createEncryptedStore }: EncryptedModule): VaultStore => {
    const keys = encrypted.createLocalKeyProvider({ key })
    return createEncryptedStore(createMemoryStore(), { keys })
  }
  const stores = [
    { name: 'plain', store: createMemoryStore() },
    { name: 'in JavaScript', store: createStore(await importPortable(url, createStore)) },
    { name: 'encrypted', store: createStore(encrypted) },
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
    const patches: Task[] = []
    for (const { name, store } of stores)
      patches.push({ name, run: await createPatch(store, bytes) })
    rows.push([`patch of an item of ${title}`, ...(await measure(patches, count, rounds))])
  }
  const files = stores.map(({ name, store }) => ({ name, run: createWriteAndRead(store) }))
  rows.push([`file of ${fileMegabytes} MB`, ...(await measure(files, 1, rounds))])
  const head = ['', ...stores.map(({ name }) => name), 'encrypted ÷ plain']
  const title = 'Encryption, CPU µs; "in JavaScript" is without the cipher of the runtime'
  return [{ id: 'encryption', title, rows: [head, ...rows] }]
}

/** Imports another copy of the module, whose cipher is the one in JavaScript for all contents. */
async function importPortable(
  url: string,
  createStore: (module: EncryptedModule) => VaultStore,
): Promise<EncryptedModule> {
  const portable: EncryptedModule = await import(`${url}/encrypted.js?portable`)
  const { getBuiltinModule } = process
  Object.assign(process, { getBuiltinModule: () => undefined })
  // The first large content loads the cipher.
  const { records } = createStore(portable)
  await records.put({ collection: 'items', id: 'a' }, { body: new Uint8Array(65_536) }, 0)
  Object.assign(process, { getBuiltinModule })
  return portable
}

/**
 * Returns the medians of tasks that take turns, in CPU microseconds of a run, and the ratio of the
 * last one to the task `plain`.
 */
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
  const medians = [...costs.values()].map(median)
  const plain = medians[tasks.findIndex(({ name }) => name === 'plain')]
  const ratio = (medians.at(-1) ?? Number.NaN) / (plain ?? Number.NaN)
  return [...medians.map((cost) => fixed(cost, 0)), fixed(ratio)]
}

/** Writes a file in chunks, reads and deletes it. */
function createWriteAndRead({ blobs }: VaultStore): Task['run'] {
  const id = `${vaultId}/file`
  const megabyte = new Uint8Array(2 ** 20).fill(120)
  return async () => {
    let left = fileMegabytes
    async function* readFile(): AsyncGenerator<Uint8Array> {
      while (left-- > 0) yield megabyte.slice()
    }
    await blobs.write(id, readFile())
    let bytes = 0
    const content = await blobs.read(id)
    if (content !== undefined && !(content instanceof Uint8Array))
      for await (const chunk of content) bytes += chunk.length
    if (bytes !== fileMegabytes * megabyte.length) throw new Error('a file was not read')
    await blobs.delete(id)
  }
}
