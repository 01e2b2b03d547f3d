/** Puts listeners on real sockets of this machine, and takes them off again. */

import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpHandler } from '../../../src/http/message.js'
import type { HttpTarget } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'

/** Runs `work` while `server` listens on a free port, and hands it where. */
export async function listening<Result>(
  server: Server & { closeAllConnections?(): void },
  work: (origin: string) => Promise<Result>,
): Promise<Result> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections?.()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Runs `work` while `listener` answers on a socket. */
export function serving<Result>(
  listener: RequestListener,
  work: (origin: string) => Promise<Result>,
): Promise<Result> {
  return listening(createHttpServer(listener), work)
}

/** How a handler becomes a listener. */
export type Mounting = (handler: HttpHandler) => RequestListener

/** Runs a contract case on a fresh test vault, mounted as `mounting` does it, with `prefix` before every path. */
export async function onMount(
  run: (mount: HttpTarget) => Promise<void>,
  mounting: Mounting = createNodeListener,
  { prefix = '', basePath = prefix }: { prefix?: string; basePath?: string } = {},
): Promise<void> {
  const vault = await createTestVault({}, { basePath })
  await serving(mounting(vault.handler), (origin) => run({ origin: origin + prefix, vault }))
}
