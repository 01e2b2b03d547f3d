/** The runtime of Cloudflare's workers. No code can be made from text there. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programPath } from '../integrations.js'
import { bundle } from './bundle.js'
import { withEchoServer } from './echo-encodings.js'
import type { RuntimeCheck } from './runtime-check.js'
import { startServer } from './server.js'

/** A worker that serves. */
export interface RunningWorker {
  readonly origin: string
  stop(): Promise<void>
}

const program = programPath('workerd')
const printedVersion = execFileSync(program, ['--version'], { encoding: 'utf8' })
const version = /[\d-]{10}/.exec(printedVersion)?.[0] ?? 'unknown'

/** Runs the checks in a worker. */
export const workerdRuntime: RuntimeCheck = {
  name: 'workerd',
  version,
  report: createReport('conform-worker.mjs', ''),
}

/** Sends a secret with the `fetch` of a worker, and reads bodies that it may not decode. */
export const workerFetch: RuntimeCheck = {
  name: 'createSecretFetch',
  version: 'workerd',
  report: (consumer) => withEchoServer((origin) => reportFetch(consumer, origin)),
}

const reportFetch = createReport('secret-fetch-worker.mjs', '')

/** Runs the store contract on the example of a store on a Durable Object. */
export const objectStore: RuntimeCheck = {
  name: 'examples/durable-object-store.ts',
  version: 'workerd',
  report: createReport(
    'durable-object-worker.mjs',
    `durableObjectNamespaces = [(className = "StoreObject", uniqueKey = "k", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "STORES", durableObjectNamespace = "StoreObject")],`,
  ),
}

function createReport(script: string, settings: string): RuntimeCheck['report'] {
  return async (consumer, broken = '') => {
    const folder = join(consumer, `${script}-files`)
    mkdirSync(join(folder, 'disk'), { recursive: true })
    await bundle(consumer, `test/runtimes/${script}`, join(folder, 'worker.js'))
    writeFileSync(join(folder, 'config.capnp'), workerConfig(settings))
    const { origin, stop } = await startWorkerd(folder, 'config.capnp')
    try {
      return await (await fetch(`${origin}/${encodeURIComponent(broken)}`)).json()
    } finally {
      await stop()
    }
  }
}

/** Serves the worker of the config `name` in the folder, on a free port. */
export async function startWorkerd(
  folder: string,
  name: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RunningWorker> {
  const options = ['--control-fd=1', '--socket-addr=http=127.0.0.1:0']
  const { found, stop } = await startServer(program, ['serve', ...options, name], {
    cwd: folder,
    env,
    pattern: /"port":(\d+)/,
  })
  return { origin: `http://127.0.0.1:${found}`, stop }
}

function workerConfig(settings: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "disk", writable = true)),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", http = (), service = "main")]
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  ${settings}
  compatibilityDate = "2025-01-01"
);
`
}
