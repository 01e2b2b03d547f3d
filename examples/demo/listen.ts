/** Listens on a local port (127.0.0.1). */

import { createServer, type RequestListener, type Server } from 'node:http'

/** A listening server. */
export interface Listening {
  /** Such as `http://127.0.0.1:8787`. */
  readonly origin: string
  /** Stops listening and ends every connection. */
  close(): void
}

/** Listens on `port`, or on a free one if that is taken or 0. */
export async function listen(
  listener: RequestListener,
  port: number,
): Promise<Listening> {
  const server = await listening(listener, port).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES')
        return listening(listener, 0)
      throw error
    },
  )
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('the server has no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function listening(listener: RequestListener, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(listener)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
