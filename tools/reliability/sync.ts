/**
 * Shows that no acknowledgement comes before the sync of its write. The system calls of a process
 * that puts records are traced. Each record is found in a write to the write-ahead log, and there
 * must be a sync between that write and the acknowledgement. The negative control, a store with
 * `synchronous=NORMAL`, to which better-sqlite3 falls back, must be caught. A key file and its
 * folder must be synced before the file is acknowledged. A variant that does not sync the folder
 * must be caught.
 *
 * `npm run prove -- sync [--short]`. strace must be installed.
 */

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installedDrivers } from './support/sqlite-drivers.js'
import { print, printTable } from './support/table.js'
import type { PutOptions } from './sync/put-options.js'
import { type KeyFileForm, watchKeyFile } from './sync/watch-key-file.js'
import { watchSyncs } from './sync/watch-syncs.js'

const { values } = parseArgs({ options: { short: { type: 'boolean', default: false } } })
const rounds = values.short ? 50 : 200

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-sync-'))
const rows: Record<string, string | number>[] = []
const keyFiles: Record<string, string>[] = []
const failures: string[] = []
try {
  if (spawnSync('strace', ['-V']).status !== 0) throw new Error('strace is not installed')
  for (const driver of installedDrivers) {
    await checkRecords({ driver, synchronous: 'full', records: rounds, concurrency: 1 })
    await checkRecords({ driver, synchronous: 'full', records: 10 * 64, concurrency: 64 })
    await checkRecords({ driver, synchronous: 'normal', records: rounds, concurrency: 1 })
  }
  await checkKeyFile('file and folder')
  await checkKeyFile('without the folder')
} finally {
  await rm(folder, { recursive: true, force: true })
}
printTable(rows)
printTable(keyFiles)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

async function checkRecords(options: Omit<PutOptions, 'path'>): Promise<void> {
  const { driver, synchronous, records, concurrency } = options
  const watched = await watchSyncs({ ...options, path: join(folder, `${rows.length}.db`) })
  const name = `${driver}, ${synchronous}, ${concurrency} concurrent`
  rows.push({
    driver,
    synchronous,
    concurrent: concurrency,
    acknowledged: watched.acknowledged,
    syncs: watched.syncs,
    'acknowledged before their sync': watched.unsynced,
  })
  if (watched.acknowledged !== records) failures.push(`${name}: not everything was put`)
  if (synchronous === 'normal') {
    if (watched.unsynced === 0) failures.push(`${name}: was not caught`)
    return
  }
  if (watched.unsynced > 0) failures.push(`${name}: acknowledged before the sync`)
  if (concurrency === 1 && watched.syncs < records) failures.push(`${name}: too few syncs`)
}

async function checkKeyFile(form: KeyFileForm): Promise<void> {
  const { file, folder: isFolderSynced } = await watchKeyFile(join(folder, form), form)
  const format = (isSynced: boolean): string => (isSynced ? 'synced' : 'not synced')
  keyFiles.push({ 'key file': form, file: format(file), folder: format(isFolderSynced) })
  if (!file) failures.push(`${form}: the key file was not synced`)
  if (isFolderSynced === (form === 'without the folder'))
    failures.push(`${form}: the folder was ${format(isFolderSynced)}`)
}
