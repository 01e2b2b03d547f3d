/**
 * Runs the HTTP contract on a server of the runtime over real sockets, and prints the result. The
 * argument names the server.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import { createFetchHandler } from 'cofferkit/fetch'
import { createNodeListener } from 'cofferkit/node'
import { createTestVault, httpContract } from 'cofferkit/testing'

const hostname = '127.0.0.1'
const { argv, stdout } = globalThis.process

/** Servers of the runtimes, each on a free port of the loopback interface. */
const servers = {
  async 'node:http'(handler) {
    const server = createServer(createNodeListener(handler)).listen(0, hostname)
    await once(server, 'listening')
    const stop = () => {
      server.close()
      server.closeAllConnections()
    }
    return { port: server.address().port, stop }
  },
  async 'Bun.serve'(handler) {
    const fetchVault = createFetchHandler(handler)
    const fetch = (request) => fetchVault(request)
    const server = globalThis.Bun.serve({ hostname, port: 0, fetch })
    return { port: server.port, stop: () => server.stop(true) }
  },
  async 'Deno.serve'(handler) {
    const options = { hostname, port: 0, onListen() {} }
    const server = globalThis.Deno.serve(options, createFetchHandler(handler))
    return { port: server.addr.port, stop: () => server.shutdown() }
  },
}

/** What a server does to a request before its handler is called. */
const platforms = { 'Bun.serve': { normalizesTargets: true } }

const checks = []
const failures = []
for (const { name, run } of httpContract) {
  const vault = await createTestVault()
  const { port, stop } = await servers[argv[2]](vault.handler)
  try {
    await run({ origin: `http://${hostname}:${port}`, vault, platform: platforms[argv[2]] })
    checks.push(name)
  } catch (error) {
    failures.push(`${name}: ${error.message}`)
  }
  await stop()
}
stdout.write(`${JSON.stringify({ checks, failures })}\n`)
