/** Traces a process that creates a key file, and checks that file and folder are synced. */

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The form of creation: `createKeyFile`, or the negative control. */
export type KeyFileForm = 'file and folder' | 'without the folder'

/** The syncs between the creation of the file and its acknowledgement. */
export interface WatchedKeyFile {
  readonly file: boolean
  readonly folder: boolean
}

/** Runs the process in strace, which must be installed. The trace is written to `{path}.trace`. */
export async function watchKeyFile(path: string, form: KeyFileForm): Promise<WatchedKeyFile> {
  const trace = `${path}.trace`
  const program = fileURLToPath(new URL('./create-key-file.ts', import.meta.url))
  const calls = ['-e', 'trace=openat,write,fsync,fdatasync', '-e', 'signal=none']
  const node = [
    process.execPath,
    '--no-warnings',
    '--import',
    './tools/scripts/register-sources.ts',
  ]
  const child = spawn('strace', ['-f', '-y', ...calls, '-o', trace, ...node, program, path, form], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new Error(`the traced process ended with ${code}`)
  return readKeyFileTrace((await readFile(trace, 'latin1')).split('\n'), path)
}

/** Reads the lines of a trace. Each begins with the id of its thread. */
export function readKeyFileTrace(lines: readonly string[], path: string): WatchedKeyFile {
  const calls = joinCalls(lines)
  const created = calls.findIndex(
    (call) =>
      call.startsWith(`openat(AT_FDCWD`) &&
      call.includes(`"${path}"`) &&
      /O_EXCL.* = \d/.test(call),
  )
  const acknowledged = calls.findIndex(
    (call) => call.startsWith('write(1<') && call.includes('(created)'),
  )
  if (created === -1 || acknowledged === -1) return { file: false, folder: false }
  const syncs = calls
    .slice(created, acknowledged)
    .filter((call) => /^f(?:data)?sync\(.* = 0$/.test(call))
  return {
    file: syncs.some((call) => call.includes(`<${path}>`)),
    folder: syncs.some((call) => call.includes(`<${dirname(path)}>`)),
  }
}

/** Joins calls that other threads interrupt in the trace. Returns all calls in the order of their ends. */
function joinCalls(lines: readonly string[]): string[] {
  const begun = new Map<string, string>()
  const calls: string[] = []
  for (const line of lines) {
    const [, thread = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    const start = /^(.*) <unfinished \.\.\.>$/.exec(call)?.[1]
    const end = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1]
    if (start !== undefined) begun.set(thread, start)
    else calls.push(end === undefined ? call : `${begun.get(thread) ?? ''}${end}`)
  }
  return calls
}
