/** The examples that need a runtime of their own: each serves over a real socket, is stopped, and serves again. */

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../tarball.mjs'
import { bundle } from './bundle.mjs'
import { startServer } from './server.mjs'
import { startWorkerd } from './workerd.mjs'

const token = 'secret-token'
const files = 'vault.db,vault.db-shm,vault.db-wal'
/** All that the example needs: its port, its two variables, its file. */
const denoPermissions = [
  '--allow-net=127.0.0.1',
  '--allow-env=PORT,TOKEN_SHA256',
  `--allow-read=${files}`,
  `--allow-write=${files}`,
]

/** Each as a runtime is, and its report is what held. */
export const recipes = [
  recipe('deno-serve.ts', 'deno', (consumer, options) =>
    startPrinting('deno', denoArguments(consumer), options),
  ),
  recipe('bun-serve.ts', 'bun', (consumer, options) =>
    startPrinting('bun', ['run', join(consumer, 'examples/bun-serve.ts')], options),
  ),
  recipe('worker.ts', 'workerd', async (consumer, { cwd, env }) => {
    await bundle(consumer, 'examples/worker.ts', join(cwd, 'worker.js'))
    cpSync(join(consumer, 'examples/worker.capnp'), join(cwd, 'worker.capnp'))
    mkdirSync(join(cwd, 'vaults'), { recursive: true })
    return startWorkerd(cwd, 'worker.capnp', env)
  }),
  { name: 'examples/elysia.ts', version: 'bun', report: visitsItself },
]

/** A vault and an item are made; after a restart the item is there, and another token does not open it. */
function recipe(file, name, start) {
  return {
    name: `examples/${file}`,
    version: name,
    async report(consumer) {
      const cwd = join(consumer, `${file}-files`)
      mkdirSync(cwd)
      const sha256 = createHash('sha256').update(token).digest('hex')
      const env = { ...process.env, PORT: '0', TOKEN_SHA256: sha256 }
      const path = await served(() => start(consumer, { cwd, env }), makeItem)
      const after = await served(
        () => start(consumer, { cwd, env }),
        async (send) => [
          (await send('GET', path)).json.title,
          (await send('GET', path, undefined, 'another-token')).status,
        ],
      )
      if (String(after) !== 'Mail,401') return { failed: `answers ${after} after a restart` }
      return { checks: ['makes an item', 'has it after a restart', 'refuses another token'] }
    },
  }
}

/** Run where it stands, because the framework is installed there: it serves, asks itself, and says what it saw. */
async function visitsItself() {
  const program = join(root, 'node_modules/.bin/bun')
  const options = { cwd: root, timeout: 30_000 }
  const { stdout } = await promisify(execFile)(program, ['examples/elysia.ts'], options)
  const seen = stdout.trimEnd().split('\n')
  return seen[0] === 'without a token: 401' ? { checks: seen } : { failed: stdout }
}

async function makeItem(send) {
  const { json: vault } = await send('POST', '/v1/vaults', { name: 'Home' })
  const items = `/v1/vaults/${vault.id}/items`
  const draft = { category: 'LOGIN', vault: { id: vault.id }, title: 'Mail' }
  const { json: item } = await send('POST', items, draft)
  return `${items}/${item.id}`
}

/** Resolves as `work` does, which is handed what asks the server that `start` has started. */
async function served(start, work) {
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

async function startPrinting(name, args, options) {
  const pattern = /(http:\/\/127\.0\.0\.1:\d+)/
  const program = join(root, 'node_modules/.bin', name)
  const { found, stop } = await startServer(program, args, { ...options, pattern })
  return { origin: found, stop }
}

function denoArguments(consumer) {
  const options = ['--no-prompt', '--node-modules-dir=manual', ...denoPermissions]
  return ['run', ...options, join(consumer, 'examples/deno-serve.ts')]
}
