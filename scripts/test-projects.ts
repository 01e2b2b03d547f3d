/** Runs the tests of the example projects of users with the packed package. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { root, runCommand } from './run-command.js'
import { withConsumer } from './tarball.js'

/** Projects of `examples`, and the arguments with which Node runs their tests. */
const projects: Readonly<Record<string, readonly string[]>> = {
  'testing-node': ['--test'],
  'testing-jest': [join(root, 'node_modules/jest/bin/jest.js'), '--ci'],
  'testing-vitest': [join(root, 'node_modules/vitest/vitest.mjs'), 'run'],
}

const packages = ['@1password/connect', 'fast-check', 'jest', 'vitest']

await withConsumer(async (consumer) => {
  for (const name of packages) {
    const link = join(consumer, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  for (const [name, args] of Object.entries(projects)) {
    const cwd = join(consumer, name)
    cpSync(join(root, 'examples', name), cwd, { recursive: true })
    await runCommand(process.execPath, args, { cwd, env: { NO_COLOR: '1' } })
    console.log(`examples/${name}: passed`)
  }
  const cwd = join(consumer, 'connect-in-ci')
  cpSync(join(root, 'examples/connect-in-ci'), cwd, { recursive: true })
  symlinkSync(join(consumer, 'node_modules'), join(cwd, 'node_modules'))
  await runWorkflow(cwd)
  console.log('examples/connect-in-ci: passed')
})

/** Runs the commands of the workflow, except those that install packages, in one shell. */
async function runWorkflow(cwd: string): Promise<void> {
  const text = readFileSync(join(cwd, '.github/workflows/test.yml'), 'utf8')
  // The port of the workflow can be in use.
  const port = await findPort()
  const { env, steps } = parse(text.replaceAll('8080', String(port))).jobs.test
  const commands = steps.flatMap((step: { readonly run?: string; readonly if?: string }) =>
    step.run === undefined || step.if !== undefined || /^npm (?:ci|install)/.test(step.run)
      ? []
      : [`( set -eo pipefail\n${step.run}\n) || exit 1`],
  )
  const shell = spawn('bash', ['-c', commands.join('\n')], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own, which ends with the stand-in that it has started.
    detached: true,
  })
  const [code] = await once(shell, 'exit')
  if (shell.pid !== undefined) process.kill(-shell.pid)
  if (code !== 0) throw new Error(`the workflow exited with ${code}`)
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}
