/** The runtimes that are programs: Node, Bun and Deno, with their servers and their SQLite. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programPath } from '../integrations.js'
import { installNodes } from '../nodes.js'
import { withEchoServer } from './echo-encodings.js'
import type { RuntimeCheck, RuntimeReport } from './runtime-check.js'

interface Program {
  readonly program: string
  readonly options: readonly string[]
}

const bun = programPath('bun')
const deno = programPath('deno')
/** No permission is given: the package needs none. */
const denoOptions = ['run', '--no-prompt', '--node-modules-dir=manual']

const programs = [
  ...(await installNodes()).map(({ version, program }) => ({
    name: 'Node',
    version,
    program,
    options: [],
  })),
  { name: 'Bun', version: outputOf(bun, '--version'), program: bun, options: ['run'] },
  {
    name: 'Deno',
    version: /deno (\S+)/.exec(outputOf(deno, '--version'))?.[1] ?? 'unknown',
    program: deno,
    options: denoOptions,
  },
]

/** Runs the checks in each program. */
export const processRuntimes: readonly RuntimeCheck[] = programs.map(
  ({ name, version, ...program }) => ({
    name,
    version,
    report: (consumer, broken = '') =>
      runScript(program, consumer, 'test/runtimes/print.mjs', broken),
  }),
)

/** Runs the mount contract on the servers of each program, over real sockets. */
export const servers: readonly RuntimeCheck[] = programs.flatMap((program) => {
  const own = program.name === 'Node' ? [] : [`${program.name}.serve`]
  return ['node:http', ...own].map((server) => ({
    name: server,
    version: `${program.name} ${program.version}`,
    report: (consumer: string) => reportServer(program, consumer, server),
  }))
})

/** Runs the store contract on a SQLite file, in each program. */
export const sqliteStores: readonly RuntimeCheck[] = programs.map(
  ({ name, version, program, options }) => ({
    name: 'openSqliteStore',
    version: `${name} ${version}`,
    async report(consumer) {
      const cwd = join(consumer, `sqlite-${name}-${version}`)
      mkdirSync(cwd)
      const disk = program === deno ? ['--allow-read=.', '--allow-write=.'] : []
      const allowed = { program, options: [...options, ...disk] }
      return runScript(allowed, cwd, '../test/runtimes/sqlite-contract.mjs')
    },
  }),
)

/** Sends a secret with the `fetch` of each program, and reads bodies that it may not decode. */
export const secretFetches: readonly RuntimeCheck[] = programs.map(
  ({ name, version, program, options }) => ({
    name: 'createSecretFetch',
    version: `${name} ${version}`,
    report(consumer) {
      const net = program === deno ? ['--allow-net=127.0.0.1'] : []
      const allowed = { program, options: [...options, ...net] }
      return withEchoServer((origin) =>
        runScript(allowed, consumer, 'test/runtimes/secret-fetch.mjs', origin),
      )
    },
  }),
)

/** Fails if one case fails. */
async function reportServer(
  { program, options }: Program,
  consumer: string,
  server: string,
): Promise<RuntimeReport> {
  const net = program === deno ? ['--allow-net=127.0.0.1'] : []
  const allowed = { program, options: [...options, ...net] }
  const script = 'test/runtimes/serve-contract.mjs'
  const { checks = [], failures = [] } = await runScript(allowed, consumer, script, server)
  return failures.length === 0 ? { checks, failures } : { failed: failures.join('\n  ') }
}

/** The report that a script prints as a line of JSON. */
async function runScript(
  { program, options }: Program,
  cwd: string,
  script: string,
  argument = '',
): Promise<RuntimeReport> {
  const { stdout } = await promisify(execFile)(program, [...options, script, argument], {
    cwd,
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}

function outputOf(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8' }).trim()
}
