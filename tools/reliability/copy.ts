/**
 * Shows that `cofferkit copy` loses nothing. A SQLite store is filled with items that have a history,
 * files and a log. Two processes go on to write to it while the command copies it to PostgreSQL,
 * encrypted, and the first runs are killed. Then the writers stop, and the last run is measured: for
 * so long, nobody can write. At the end both stores are compared, by the command and by a service
 * that reads every item, version and file of both.
 *
 * `npm run prove -- copy [--short] [--items 10000] [--kills 3]`. The short form has 200 items.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createCaller, createVaultService, type VaultStore } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import {
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import type { WriteReport, WriteRequest } from './copy/writer-process.js'
import { createOperator } from './support/operator.js'
import { filterAvailable, findEngine } from './support/stores.js'
import { print, printTable } from './support/table.js'
import { startWorker } from './support/worker-process.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    items: { type: 'string' },
    kills: { type: 'string', default: '3' },
  },
})
const items = Number(values.items ?? (values.short ? 200 : 10_000))
// In the folder of the project, which has the driver of PostgreSQL.
const operator = createOperator(fileURLToPath(new URL('../../', import.meta.url)))
const caller = createCaller({ id: 'checker', vaults: '*' })

if (filterAvailable(['postgres']).length === 0) throw new Error('PostgreSQL is not installed')
const [sqlite, postgres] = [findEngine('sqlite'), findEngine('postgres')]
const source = await sqlite.create()
const target = await postgres.create()
const folder = await mkdtemp(join(tmpdir(), 'cofferkit-copy-'))
const failures: string[] = []
try {
  const keyFile = join(folder, 'vault.key')
  await createKeyFile(keyFile)
  const vaultIds = await createVaults()
  const request = { engine: 'sqlite', address: source.address, vaultIds }
  await write({ ...request, seed: 1, items })
  const { url, schema }: { url: string; schema: string } = JSON.parse(target.address)
  const to = new URL(url)
  to.searchParams.set('schema', schema)
  const words = [
    ...['copy', '--from', `sqlite:${join(source.address, 'vault.sqlite')}`],
    ...['--to', to.href, '--to-encrypt', keyFile],
  ]
  // Long enough for the first runs, which are killed, and one that is not.
  let isStopped = false
  let changes = 0
  const writing = [2, 3].map(async (seed) => {
    for (let round = 0; !isStopped; round++)
      changes += (await write({ ...request, seed: seed * 1000 + round, ms: 500 })).changes
  })
  for (let kill = 0; kill < Number(values.kills); kill++)
    await operator.attempt(words, { killAfterMs: 800 + kill * 900 })
  const whole = await operator.run(words)
  const again = await operator.run(words)
  isStopped = true
  await Promise.all(writing)
  const last = await operator.attempt([...words, '--last'])
  print((last.stdout + last.stderr).trim())
  if (last.code !== 0) failures.push('the stores differ')
  const differences = await countDifferences(keyFile, vaultIds)
  if (differences > 0) failures.push(`${differences} differences`)
  printTable([
    {
      run: 'under load',
      seconds: whole.seconds.toFixed(1),
      'seconds again': again.seconds.toFixed(1),
      'changes meanwhile': changes,
      'seconds of stopped writers': /Equal after (\S+)/.exec(last.stdout)?.[1] ?? '',
      differences,
    },
  ])
} finally {
  operator.close()
  await target.remove()
  await source.remove()
  await rm(folder, { recursive: true, force: true })
}
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

async function createVaults(): Promise<readonly string[]> {
  const { store, close } = await sqlite.connect(source.address)
  const service = createVaultService({ store })
  const ids: string[] = []
  for (const name of ['One', 'Two', 'Three'])
    ids.push((await service.createVault(caller, { name })).id)
  await close()
  return ids
}

async function write(request: WriteRequest): Promise<WriteReport> {
  const worker = startWorker<WriteRequest, WriteReport>(
    new URL('./copy/writer-process.ts', import.meta.url),
  )
  const report = await worker.request(request)
  await worker.end()
  return report
}

/** Reads everything in both stores through a service, and counts what is not the same. */
async function countDifferences(keyFile: string, vaultIds: readonly string[]): Promise<number> {
  const [from, to] = [await sqlite.connect(source.address), await postgres.connect(target.address)]
  const keys = createLocalKeyProvider({ key: await readKeyFile(keyFile) })
  const [left, right] = [from.store, createEncryptedStore(to.store, { keys })].map((store) =>
    readAll(store, vaultIds),
  )
  let differences = 0
  for (;;) {
    const [one, other] = await Promise.all([left?.next(), right?.next()])
    if (one?.done && other?.done) break
    if (one?.value !== other?.value) differences++
  }
  await from.close()
  await to.close()
  return differences
}

async function* readAll(store: VaultStore, vaultIds: readonly string[]): AsyncGenerator<string> {
  const service = createVaultService({ store })
  for (const vaultId of vaultIds) {
    const page = await service.listItems(caller, { vaultId })
    yield JSON.stringify(page)
    for (const { id: itemId } of page) {
      const item = await service.getItem(caller, { vaultId, itemId })
      yield JSON.stringify(item)
      yield JSON.stringify(await service.listVersions(caller, { vaultId, itemId }))
      for (const { id: fileId } of item.files) {
        const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
        yield Buffer.from(await new Response(content).arrayBuffer()).toString('latin1')
      }
    }
  }
  for await (const entry of createStoredActivityLog(store).entries()) yield JSON.stringify(entry)
}
