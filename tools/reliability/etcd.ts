/**
 * Shows that a store in an etcd cluster keeps its promises while members are killed, cut off,
 * paused, and restarted with other clocks. Three members run in network namespaces. Each fault is
 * proven to have happened.
 *
 * First, the linearizability of the records is checked as by `linearizable`. Then writers change
 * items and files of a service that keeps versions, and everything that was acknowledged must be
 * there. Stores that are broken on purpose must be caught.
 *
 * Needs Linux, root, and `etcd`, `ip`, `nft`, `unshare` and `nsenter`; else it does nothing.
 *
 * `npm run prove -- etcd [--short] [--histories 100] [--operations 2000] [--seconds 600] [--seed 1]`
 */

import { spawn } from 'node:child_process'
import { accessSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { proveCluster } from './etcd/prove-cluster.js'
import { print } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    histories: { type: 'string' },
    operations: { type: 'string', default: '2000' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    /** The folder of a run that is inside of its namespaces. */
    inside: { type: 'string' },
  },
})
const missing = listMissing()

if (values.inside !== undefined) {
  const isProven = await proveCluster({
    folder: values.inside,
    histories: Number(values.histories ?? (values.short ? 3 : 100)),
    operations: Number(values.operations),
    seed: Number(values.seed),
    seconds: Number(values.seconds ?? (values.short ? 12 : 600)),
  })
  process.exit(isProven ? 0 : 1)
} else if (missing.length > 0) {
  print(`not run: the proof of etcd needs ${missing.join(', ')}`)
} else {
  process.exitCode = await runInNamespaces()
}

/** The requirements of the proof that this machine does not have. */
function listMissing(): readonly string[] {
  if (process.platform !== 'linux') return ['Linux']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const programs = ['etcd', 'ip', 'nft', 'unshare', 'nsenter']
  const absent = programs.filter((name) => !folders.some((folder) => exists(join(folder, name))))
  return [...absent, ...(process.getuid?.() === 0 ? [] : ['root'])]
}

/**
 * Runs this program again, in network, mount and process namespaces of its own. With them, every
 * process and every network device of the proof ends. Resolves with the exit code.
 */
async function runInNamespaces(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-cluster-'))
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const flags = ['--import', new URL('../scripts/register-sources.ts', import.meta.url).href]
  const program = [process.execPath, ...flags, fileURLToPath(import.meta.url)]
  const parameters = [...namespaces, ...program, ...process.argv.slice(2), '--inside', folder]
  const child = spawn('unshare', parameters, { stdio: 'inherit' })
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject).on('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function exists(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}
