/** The runtimes that are programs: Node, Bun and Deno, with their servers and their SQLite. Each prints how it fares. */

import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodes } from '../nodes.mjs'
import { root } from '../tarball.mjs'

const bun = join(root, 'node_modules/.bin/bun')
const deno = join(root, 'node_modules/.bin/deno')
/** No permission is given: the package needs none. */
const denoOptions = ['run', '--no-prompt', '--node-modules-dir=manual']

const programs = [
  ...nodes().map(({ version, program }) => ({ name: 'Node', version, program, options: [] })),
  { name: 'Bun', version: printed(bun, '--version'), program: bun, options: ['run'] },
  {
    name: 'Deno',
    version: /deno (\S+)/.exec(printed(deno, '--version'))[1],
    program: deno,
    options: denoOptions,
  },
]

/**
 * What a server cannot do, by the names of the contract's cases. Bun sends no `Content-Length` with a stream
 * (oven-sh/bun#10507), and resolves `..` in a target before a handler sees it.
 */
const known = {
  'Bun.serve': [
    'streams the content of a file from its content_path, as an attachment with its name',
    'never resolves an unusual target to another resource',
  ],
}

/** Each with its version, and what runs the checks in a folder where the package is installed. */
export const processRuntimes = programs.map(({ name, version, ...started }) => ({
  name,
  version,
  report: (consumer, broken = '') => answerOf(started, consumer, 'test/runtimes/print.mjs', broken),
}))

/** The servers of the same programs, over real sockets. */
export const servers = programs.flatMap((program) => {
  const own = program.name === 'Node' ? [] : [`${program.name}.serve`]
  return ['node:http', ...own].map((server) => ({
    name: server,
    version: `${program.name} ${program.version}`,
    report: (consumer) => serverReport(program, consumer, server),
  }))
})

/** The store in a SQLite file, where there is `node:sqlite`. */
export const sqliteStores = programs
  .filter(({ name, version }) => name !== 'Node' || Number.parseInt(version, 10) >= 22)
  .map(({ name, version, program, options }) => ({
    name: 'openSqliteStore',
    version: `${name} ${version}`,
    async report(consumer) {
      const cwd = join(consumer, `sqlite-${name}-${version}`)
      mkdirSync(cwd)
      const disk = program === deno ? ['--allow-read=.', '--allow-write=.'] : []
      const started = { program, options: [...options, ...disk] }
      return answerOf(started, cwd, '../test/runtimes/sqlite-contract.mjs')
    },
  }))

/** Fails also where a server has learned what it could not do. */
async function serverReport({ program, options }, consumer, server) {
  const net = program === deno ? ['--allow-net=127.0.0.1'] : []
  const started = { program, options: [...options, ...net] }
  const { checks, failures } = await answerOf(
    started,
    consumer,
    'test/runtimes/serve-contract.mjs',
    server,
  )
  const names = failures.map((failure) => failure.split(': ')[0])
  if (String(names) === String(known[server] ?? [])) return { checks, failures: names }
  return { failed: failures.join('\n  ') || `has learned ${known[server]}` }
}

/** The line of JSON that a script of the folder prints. */
async function answerOf({ program, options }, cwd, script, argument = '') {
  const { stdout } = await promisify(execFile)(program, [...options, script, argument], {
    cwd,
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}

function printed(program, ...args) {
  return execFileSync(program, args, { encoding: 'utf8' }).trim()
}
