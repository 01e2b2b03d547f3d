/** Watches a process that puts records with strace, and tells what it did in which order. */

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { acknowledgementOf, bodyOf, type PutOptions } from './put-options.js'

/** What was seen. */
export interface Watched {
  readonly acknowledged: number
  /** Syncs of the write-ahead log before the last acknowledgement. */
  readonly syncs: number
  /** Acknowledgements that were said before the record was written, or before a sync that came after that. */
  readonly unsynced: number
}

/** Runs the process under strace, which is to be installed, and reads its trace at `path` with `.trace`. */
export async function watchSyncs(options: PutOptions): Promise<Watched> {
  const trace = `${options.path}.trace`
  const program = fileURLToPath(new URL('./put-records.ts', import.meta.url))
  const calls = 'trace=write,pwrite64,pwritev,fsync,fdatasync'
  const flags = ['-y', '-s', '9000', '-e', calls, '-e', 'signal=none', '-o', trace]
  const node = [process.execPath, '--no-warnings', '--import', './scripts/register-sources.ts']
  const child = spawn('strace', [...flags, ...node, program, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(`the watched process has ended with ${code}`)
  const lines = (await readFile(trace, 'latin1')).split('\n')
  return readTrace(lines, `${options.path}-wal`, options.records)
}

/** Reads the lines of a trace. The node process syncs in the thread that answers, so that they stand in order. */
export function readTrace(lines: readonly string[], log: string, records: number): Watched {
  const ofLog = `<${log}>`
  const syncs = placesOf(
    lines,
    (line) => /^f(?:data)?sync\(.* = 0$/.test(line) && line.includes(ofLog),
  )
  const writes = lines.map((line) => (/^p?write/.test(line) && line.includes(ofLog) ? line : ''))
  const said = lines.map((line) => (line.startsWith('write(1<') ? line : ''))
  let unsynced = 0
  let last = 0
  let acknowledged = 0
  for (let record = 0; record < records; record++) {
    const written = writes.findIndex((line) => line.includes(bodyOf(record)))
    const answered = said.findIndex((line) => line.includes(acknowledgementOf(record)))
    if (answered === -1) continue
    acknowledged += 1
    last = Math.max(last, answered)
    const isSynced = syncs.some((sync) => written < sync && sync < answered)
    if (written === -1 || !isSynced) unsynced += 1
  }
  return { acknowledged, syncs: syncs.filter((sync) => sync < last).length, unsynced }
}

function placesOf(lines: readonly string[], isWanted: (line: string) => boolean): number[] {
  return lines.flatMap((line, ref) => (isWanted(line) ? [ref] : []))
}
