/**
 * Shows that rotating keys loses nothing. 16 writers in 4 processes change records of an encrypted
 * SQLite file, while the process that re-encrypts them is killed with SIGKILL and restarted again
 * and again. Afterwards every record must be readable, found by its index key, at the version that
 * its acknowledged changes add up to, and encrypted under the current key.
 *
 * `npm run prove -- reencrypt [--short] [--records 100000] [--kills 20] [--seed 1]`
 */

import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSqliteStore } from 'cofferkit/sqlite'
import type { ReencryptRequest } from './reencrypt/reencrypt-process.js'
import {
  collection,
  countChanges,
  createRecord,
  openStore,
  recordKeyOf,
  type SharedStore,
} from './reencrypt/shared-store.js'
import type { ChangeCounts, WriteRequest } from './reencrypt/write-process.js'
import { createSeededRandom, type SeededRandom } from './support/seeded-random.js'
import { print, printTable } from './support/table.js'
import { startWorker } from './support/worker-process.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    records: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string' },
  },
})
const records = Number(values.records ?? (values.short ? 2000 : 100_000))
const kills = Number(values.kills ?? (values.short ? 6 : 20))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const [processes, writers] = [4, 4]
const start = performance.now()

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-reencrypt-'))
const shared: SharedStore = {
  path: join(folder, 'vault.sqlite'),
  kek: crypto.getRandomValues(new Uint8Array(32)),
}
try {
  await fillStore(shared)
  const { changes, killed, finished } = await runWriters(shared, createSeededRandom(seed))
  const { passes, ...found } = await checkRecords(shared, changes)
  const total = [...changes.values()].reduce((sum, count) => sum + count, 0)
  const seconds = Math.round((performance.now() - start) / 1000)
  printTable([
    {
      records,
      writers: processes * writers,
      kills: killed,
      'complete runs': finished,
      changes: total,
      ...found,
      'last passes': passes,
      seconds,
    },
  ])
  if (killed < kills || Object.values(found).some((count) => count > 0)) {
    print('records were lost or changed, or too few runs were killed')
    print(`again: npm run prove -- reencrypt --records ${records} --kills ${kills} --seed ${seed}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function fillStore(shared: SharedStore): Promise<void> {
  const { store, close } = await openStore(shared)
  for (let first = 0; first < records; first += 500) {
    const numbers = Array.from(
      { length: Math.min(500, records - first) },
      (_, index) => first + index,
    )
    await Promise.all(
      numbers.map((number) => store.records.put(recordKeyOf(number), createRecord(number, 0), 0)),
    )
  }
  await close()
}

/**
 * Runs writers while re-encryptions are started and killed. Resolves with the acknowledged changes
 * of each record.
 */
async function runWriters(shared: SharedStore, random: SeededRandom) {
  const changes = new Map<number, number>()
  let isDone = false
  const work = async (index: number): Promise<void> => {
    const child = startWorker<WriteRequest, ChangeCounts>(
      new URL('./reencrypt/write-process.ts', import.meta.url),
    )
    for (let round = 0; !isDone; round++) {
      const slice = { seed: seed + index * 1000 + round, milliseconds: 500 }
      const done = await child.request({ ...shared, records, writers, ...slice })
      for (const [number, count] of done) changes.set(number, (changes.get(number) ?? 0) + count)
    }
    await child.end()
  }
  const working = Promise.all(Array.from({ length: processes }, (_, index) => work(index)))
  const killing = killRuns(shared, random).finally(() => {
    isDone = true
  })
  const [stats] = await Promise.all([killing, working])
  return { changes, ...stats }
}

async function killRuns(shared: SharedStore, random: SeededRandom) {
  let [killed, finished] = [0, 0]
  while (killed < kills) {
    const rotates = killed % 5 === 0
    const timeoutMs = random.below(values.short ? 150 : 3000)
    if (await reencryptFor(timeoutMs, { ...shared, rotates: rotates || finished > 0 })) finished++
    else killed++
  }
  return { killed, finished }
}

/** Starts a re-encryption and kills it after a time. Resolves with true if it ended before. */
function reencryptFor(milliseconds: number, request: ReencryptRequest): Promise<boolean> {
  const module = fileURLToPath(new URL('./reencrypt/reencrypt-process.ts', import.meta.url))
  const execArgv = ['--import', new URL('../scripts/register-sources.ts', import.meta.url).href]
  return new Promise((resolve, reject) => {
    const child = fork(module, { serialization: 'advanced', execArgv })
    child.once('message', () => setTimeout(() => child.kill('SIGKILL'), milliseconds))
    child.once('exit', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(code === 0)
      else reject(new Error(`the re-encryption failed with ${code ?? signal}`))
    })
    child.send(request)
  })
}

/** Re-encrypts to the end, then checks every record through a new store. */
async function checkRecords(shared: SharedStore, changes: ChangeCounts) {
  const { store, close } = await openStore(shared)
  let passes = 0
  let unreadable = 0
  for (let left = 1; left > 0; passes++) {
    const report = await store.reencrypt()
    left = report.records
    unreadable = report.unreadable
  }
  const expected = Array.from({ length: records }, (_, number) => changes.get(number) ?? 0)
  let [missing, wrong] = [0, 0]
  for (const [number, count] of expected.entries()) {
    const found = await store.records.get(recordKeyOf(number))
    if (found === undefined) missing++
    else if (found.version !== count + 1 || countChanges(number, found.body) !== count) wrong++
  }
  let unindexed = records
  for (let number = 0; number < 10; number++) {
    const page = { indexKey: `title ${number}`, limit: records }
    unindexed -= (await store.records.list(collection, page)).length
  }
  await close()
  return {
    unreadable,
    missing,
    wrong,
    unindexed,
    'old keys': await countOldKeys(shared),
    passes,
  }
}

/**
 * Counts the records whose key is not the newest one. Bytes 2 and 3 of an envelope are the id of its
 * key.
 */
async function countOldKeys({ path }: SharedStore): Promise<number> {
  const inner = await openSqliteStore(path)
  const rows = await inner.records.list(collection, { limit: records })
  await inner.close()
  const keyIds = rows.map(({ body }) => (body[2] ?? 0) * 256 + (body[3] ?? 0))
  const newest = keyIds.reduce((highest, keyId) => Math.max(highest, keyId), 0)
  return keyIds.filter((keyId) => keyId !== newest).length
}
