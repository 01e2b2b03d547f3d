/** The runtime of workers: one answers over HTTP how it conforms. No code can be made from text there. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tarball.mjs'
import { bundle } from './bundle.mjs'
import { startServer } from './server.mjs'

const program = join(root, 'node_modules/.bin/workerd')
const version = /[\d-]{10}/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))[0]

/** With its version, and what runs the checks in a folder where the package is installed. */
export const workerdRuntime = {
  name: 'workerd',
  version,
  report: reporter('conform-worker.mjs', ''),
}

/** The store of the examples that stands on a Durable Object, against the contract of stores. */
export const objectStore = {
  name: 'examples/durable-object-store.ts',
  version: 'workerd',
  report: reporter(
    'durable-object-worker.mjs',
    `durableObjectNamespaces = [(className = "StoreObject", uniqueKey = "k", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [(name = "STORES", durableObjectNamespace = "StoreObject")],`,
  ),
}

function reporter(script, more) {
  return async (consumer, broken = '') => {
    const folder = join(consumer, `${script}-files`)
    mkdirSync(join(folder, 'disk'), { recursive: true })
    await bundle(consumer, `test/runtimes/${script}`, join(folder, 'worker.js'))
    writeFileSync(join(folder, 'config.capnp'), configWith(more))
    const { origin, stop } = await startWorkerd(folder, 'config.capnp')
    try {
      return await (await fetch(`${origin}/${encodeURIComponent(broken)}`)).json()
    } finally {
      await stop()
    }
  }
}

/** Serves what the config of the folder says, on a free port. */
export async function startWorkerd(folder, name, env = process.env) {
  const options = ['--control-fd=1', '--socket-addr=http=127.0.0.1:0']
  const { found, stop } = await startServer(program, ['serve', ...options, name], {
    cwd: folder,
    env,
    pattern: /"port":(\d+)/,
  })
  return { origin: `http://127.0.0.1:${found}`, stop }
}

function configWith(more) {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "main")]
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  ${more}
  compatibilityDate = "2025-01-01"
);
`
}
