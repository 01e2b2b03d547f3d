/** Traces a process that puts records, and compares the order of writes and syncs. */

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { acknowledgementOf, bodyOf, type PutOptions } from './put-options.js'

/** The findings. */
export interface SyncFindings {
  readonly acknowledged: number
  /** Syncs of the write-ahead log before the last acknowledgement. */
  readonly syncs: number
  /** Acknowledgements before the record was written, or before the sync after that write. */
  readonly unsynced: number
}

/** Runs the process in strace, which must be installed. The trace is written to `{path}.trace`. */
export async function watchSyncs(options: PutOptions): Promise<SyncFindings> {
  const trace = `${options.path}.trace`
  const program = fileURLToPath(new URL('./put-records.ts', import.meta.url))
  const calls = 'trace=write,pwrite64,pwritev,fsync,fdatasync'
  const flags = ['-y', '-s', '9000', '-e', calls, '-e', 'signal=none', '-o', trace]
  const node = [
    process.execPath,
    '--no-warnings',
    '--import',
    './tools/scripts/register-sources.ts',
  ]
  const child = spawn('strace', [...flags, ...node, program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(`the traced process ended with ${code}`)
  const lines = (await readFile(trace, 'latin1')).split('\n')
  return readTrace(lines, `${options.path}-wal`, options.records)
}

/** Reads the lines of a trace. The process syncs in its main thread, so the lines are in order. */
export function readTrace(lines: readonly string[], log: string, records: number): SyncFindings {
  const ofLog = `<${log}>`
  const syncs = findIndexes(
    lines,
    (line) => /^f(?:data)?sync\(.* = 0$/.test(line) && line.includes(ofLog),
  )
  const writes = lines.map((line) => (/^p?write/.test(line) && line.includes(ofLog) ? line : ''))
  const printed = lines.map((line) => (line.startsWith('write(1<') ? line : ''))
  let unsynced = 0
  let last = 0
  let acknowledged = 0
  for (let record = 0; record < records; record++) {
    const written = writes.findIndex((line) => line.includes(bodyOf(record)))
    const acknowledgement = printed.findIndex((line) => line.includes(acknowledgementOf(record)))
    if (acknowledgement === -1) continue
    acknowledged += 1
    last = Math.max(last, acknowledgement)
    const isSynced = syncs.some((sync) => written < sync && sync < acknowledgement)
    if (written === -1 || !isSynced) unsynced += 1
  }
  return { acknowledged, syncs: syncs.filter((sync) => sync < last).length, unsynced }
}

function findIndexes(lines: readonly string[], matches: (line: string) => boolean): number[] {
  return lines.flatMap((line, index) => (matches(line) ? [index] : []))
}
