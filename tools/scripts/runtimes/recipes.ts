/** The examples that need a runtime of their own. Each serves over a socket, and again after a stop. */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { programPath } from '../integrations.js'
import { root } from '../run-command.js'
import { bundle } from './bundle.js'
import type { RuntimeCheck, RuntimeReport } from './runtime-check.js'
import { startServer } from './server.js'
import { type RunningWorker, startWorkerd } from './workerd.js'

interface StartOptions {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

type Start = (consumer: string, options: StartOptions) => Promise<RunningWorker>

/** Sends a request with the token, or with another one. */
type Send = (
  method: string,
  path: string,
  body?: object,
  bearer?: string,
) => Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }>

const token = 'secret-token'
const files = 'vault.db,vault.db-shm,vault.db-wal'
/** Everything that the example needs: its port, its two variables, its file. */
const denoPermissions = [
  '--allow-net=127.0.0.1',
  '--allow-env=PORT,TOKEN_SHA256',
  `--allow-read=${files}`,
  `--allow-write=${files}`,
]

/** A check for each example. */
export const recipes: readonly RuntimeCheck[] = [
  recipe('deno-serve.ts', 'deno', (consumer, options) =>
    startProgram('deno', denoArguments(consumer), options),
  ),
  recipe('bun-serve.ts', 'bun', (consumer, options) =>
    startProgram('bun', ['run', join(consumer, 'examples/bun-serve.ts')], options),
  ),
  recipe('worker.ts', 'workerd', async (consumer, { cwd, env }) => {
    await bundle(consumer, 'examples/worker.ts', join(cwd, 'worker.js'))
    cpSync(join(consumer, 'examples/worker.capnp'), join(cwd, 'worker.capnp'))
    mkdirSync(join(cwd, 'vaults'), { recursive: true })
    return startWorkerd(cwd, 'worker.capnp', env)
  }),
  { name: 'examples/elysia.ts', version: 'bun', report: runElysia },
]

/** Creates a vault and an item. After a restart the item is there, and another token is rejected. */
function recipe(file: string, name: string, start: Start): RuntimeCheck {
  return {
    name: `examples/${file}`,
    version: name,
    async report(consumer) {
      const cwd = join(consumer, `${file}-files`)
      mkdirSync(cwd)
      const sha256 = createHash('sha256').update(token).digest('hex')
      const env = { ...process.env, PORT: '0', TOKEN_SHA256: sha256 }
      const path = await whileServed(() => start(consumer, { cwd, env }), createItem)
      const after = await whileServed(
        () => start(consumer, { cwd, env }),
        async (send) => [
          (await send('GET', path)).json['title'],
          (await send('GET', path, undefined, 'another-token')).status,
        ],
      )
      if (String(after) !== 'Mail,401') return { failed: `returns ${after} after a restart` }
      return { checks: ['creates an item', 'has it after a restart', 'rejects another token'] }
    },
  }
}

/**
 * Runs the example in this project, because the framework is installed there. It serves, sends
 * requests to itself, and prints the responses.
 */
async function runElysia(): Promise<RuntimeReport> {
  const options = { cwd: root, timeout: 30_000 }
  const { stdout } = await promisify(execFile)(programPath('bun'), ['examples/elysia.ts'], options)
  const lines = stdout.trimEnd().split('\n')
  return lines[0] === 'without a token: 401' ? { checks: lines } : { failed: stdout }
}

async function createItem(send: Send): Promise<string> {
  const { json: vault } = await send('POST', '/v1/vaults', { name: 'Home' })
  const items = `/v1/vaults/${vault['id']}/items`
  const draft = { category: 'LOGIN', vault: { id: vault['id'] }, title: 'Mail' }
  const { json: item } = await send('POST', items, draft)
  return `${items}/${item['id']}`
}

/** Calls `work` with the client of a server that runs until `work` has ended. */
async function whileServed<Result>(
  start: () => Promise<RunningWorker>,
  work: (send: Send) => Promise<Result>,
): Promise<Result> {
  const { origin, stop } = await start()
  try {
    return await work(async (method, path, body, bearer = token) => {
      const response = await fetch(new URL(path, origin), {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      return { status: response.status, json: await response.json() }
    })
  } finally {
    await stop()
  }
}

async function startProgram(
  name: string,
  args: readonly string[],
  options: StartOptions,
): Promise<RunningWorker> {
  const pattern = /(http:\/\/127\.0\.0\.1:\d+)/
  const { found, stop } = await startServer(programPath(name), args, { ...options, pattern })
  return { origin: found, stop }
}

function denoArguments(consumer: string): string[] {
  const options = ['--no-prompt', '--node-modules-dir=manual', ...denoPermissions]
  return ['run', ...options, join(consumer, 'examples/deno-serve.ts')]
}
