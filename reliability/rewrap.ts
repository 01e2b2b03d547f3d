/**
 * Shows that rewrapping loses nothing: 16 writers in 4 processes change records of an encrypted SQLite file, while the
 * process that seals them anew is killed with SIGKILL again and again, and begun again. Afterwards every record must be
 * readable, found by its label, at the version that its acknowledged changes add up to, and under the current key.
 *
 * `npm run proof:rewrap -- [--short] [--records 100000] [--kills 20] [--seed 1]`
 */

import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSqliteStore } from 'cofferkit/sqlite'
import type { Order } from './rewrap/reencrypt-process.js'
import {
  changesIn,
  collection,
  openStore,
  placeOf,
  recordOf,
  type SharedStore,
} from './rewrap/shared-store.js'
import type { Changes, Work } from './rewrap/write-process.js'
import { startWorker } from './support/worker-process.js'
import { createSeededRandom, type SeededRandom } from './support/seeded-random.js'
import { print, printTable } from './support/table.js'

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
const began = performance.now()

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-rewrap-'))
const shared: SharedStore = {
  path: join(folder, 'vault.sqlite'),
  kek: crypto.getRandomValues(new Uint8Array(32)),
}
try {
  await fill(shared)
  const { changes, killed, finished } = await disturb(shared, createSeededRandom(seed))
  const { passes, ...found } = await examine(shared, changes)
  const total = [...changes.values()].reduce((sum, count) => sum + count, 0)
  const seconds = Math.round((performance.now() - began) / 1000)
  printTable([
    {
      records,
      writers: processes * writers,
      kills: killed,
      'runs ended': finished,
      changes: total,
      ...found,
      'last passes': passes,
      seconds,
    },
  ])
  if (killed < kills || Object.values(found).some((count) => count > 0)) {
    print('a promise is broken')
    print(`again: npm run proof:rewrap -- --records ${records} --kills ${kills} --seed ${seed}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function fill(ref: SharedStore): Promise<void> {
  const { store, close } = await openStore(ref)
  for (let start = 0; start < records; start += 500) {
    const numbers = Array.from(
      { length: Math.min(500, records - start) },
      (_, index) => start + index,
    )
    await Promise.all(
      numbers.map((number) => store.records.put(placeOf(number), recordOf(number, 0), 0)),
    )
  }
  await close()
}

/** Lets writers and rewraps meet, and kills so many rewraps; answers the acknowledged changes of each record. */
async function disturb(ref: SharedStore, random: SeededRandom) {
  const changes = new Map<number, number>()
  let isOver = false
  const work = async (index: number): Promise<void> => {
    const child = startWorker<Work, Changes>(new URL('./rewrap/write-process.ts', import.meta.url))
    for (let round = 0; !isOver; round++) {
      const own = { seed: seed + index * 1000 + round, milliseconds: 500 }
      const done = await child.ask({ ...ref, records, writers, ...own })
      for (const [number, count] of done) changes.set(number, (changes.get(number) ?? 0) + count)
    }
    await child.end()
  }
  const working = Promise.all(Array.from({ length: processes }, (_, index) => work(index)))
  const killing = killRewraps(ref, random).finally(() => {
    isOver = true
  })
  const [stats] = await Promise.all([killing, working])
  return { changes, ...stats }
}

async function killRewraps(ref: SharedStore, random: SeededRandom) {
  let [killed, finished] = [0, 0]
  while (killed < kills) {
    const rotates = killed % 5 === 0
    const timeoutMs = random.below(values.short ? 150 : 3000)
    if (await rewrapFor(timeoutMs, { ...ref, rotates: rotates || finished > 0 })) finished++
    else killed++
  }
  return { killed, finished }
}

/** Begins a rewrap and kills it after so many milliseconds; resolves with whether it ended by itself before. */
function rewrapFor(milliseconds: number, order: Order): Promise<boolean> {
  const module = fileURLToPath(new URL('./rewrap/reencrypt-process.ts', import.meta.url))
  const execArgv = ['--import', new URL('../scripts/register-sources.ts', import.meta.url).href]
  return new Promise((resolve, reject) => {
    const child = fork(module, { serialization: 'advanced', execArgv })
    child.once('message', () => setTimeout(() => child.kill('SIGKILL'), milliseconds))
    child.once('exit', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve(code === 0)
      else reject(new Error(`the rewrap has failed with ${code ?? signal}`))
    })
    child.send(order)
  })
}

/** Rewraps to the end, then looks at every record, as a process that has seen nothing of all this. */
async function examine(ref: SharedStore, changes: Changes) {
  const { store, close } = await openStore(ref)
  let passes = 0
  let unreadable = 0
  for (let left = 1; left > 0; passes++) {
    const report = await store.reencrypt()
    left = report.records
    unreadable = report.unreadable
  }
  const expected = Array.from({ length: records }, (_, number) => changes.get(number) ?? 0)
  let [missing, addIssue] = [0, 0]
  for (const [number, count] of expected.entries()) {
    const found = await store.records.get(placeOf(number))
    if (found === undefined) missing++
    else if (found.version !== count + 1 || changesIn(number, found.body) !== count) addIssue++
  }
  let unlabelled = records
  for (let indexKey = 0; indexKey < 10; indexKey++) {
    const page = { indexKey: `label ${indexKey}`, limit: records }
    unlabelled -= (await store.records.list(collection, page)).length
  }
  await close()
  return {
    unreadable,
    missing,
    wrong: addIssue,
    unlabelled,
    'old keys': await countOldKeys(ref),
    passes,
  }
}

/** Records whose key is not the newest that any record has; bytes 2 and 3 of an envelope are the id of its key. */
async function countOldKeys({ path }: SharedStore): Promise<number> {
  const inner = await openSqliteStore(path)
  const rows = await inner.records.list(collection, { limit: records })
  await inner.close()
  const keyIds = rows.map(({ body }) => (body[2] ?? 0) * 256 + (body[3] ?? 0))
  const newest = keyIds.reduce((most, keyId) => Math.max(most, keyId), 0)
  return keyIds.filter((keyId) => keyId !== newest).length
}
