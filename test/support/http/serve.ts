/** Serves listeners on real sockets of this machine. */

import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpHandler } from '../../../src/http/message.js'
import type { HttpTarget } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'

/**
 * Runs `work` with the origin of `server` while it listens on a free port. The server itself never closes
 * a connection that is kept alive, so that `inTime` detects one that should have been closed.
 */
export async function withServer<Result>(
  server: Server & { keepAliveTimeout?: number; closeAllConnections?(): void },
  work: (origin: string) => Promise<Result>,
): Promise<Result> {
  if (server.keepAliveTimeout !== undefined) server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections?.()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Runs `work` while `listener` is served on a socket. */
export function withListener<Result>(
  listener: RequestListener,
  work: (origin: string) => Promise<Result>,
): Promise<Result> {
  return withServer(createHttpServer(listener), work)
}

/** Converts a handler to a listener. */
export type Mount = (handler: HttpHandler) => RequestListener

interface MountPlace {
  readonly prefix?: string
  readonly basePath?: string
  readonly platform?: HttpTarget['platform']
}

/** Runs a contract case on a new test vault, mounted by `mounting` under `prefix`. */
export async function runOnMount(
  run: (mount: HttpTarget) => Promise<void>,
  mounting: Mount = createNodeListener,
  { prefix = '', basePath = prefix, platform }: MountPlace = {},
): Promise<void> {
  const vault = await createTestVault({}, { basePath })
  await withListener(mounting(vault.handler), (origin) =>
    run({ origin: origin + prefix, vault, platform }),
  )
}
