/** Ways to reach a handler: a `fetch` function without a socket, and a server on the loopback. */

import { createFetchHandler } from '../../adapters/fetch.js'
import { type Closable, toClosable } from '../../base/closable.js'
import type { HttpHandler } from '../../http.js'

/** A server that listens for the requests of a test. */
export interface ListeningVault extends Closable {
  /** Scheme, host and port, such as `http://127.0.0.1:41234`. */
  readonly origin: string
  /** Closes the server and all its connections. Closing again returns the same promise. */
  close(): Promise<void>
}

/** Connections to a handler. */
export interface Connections {
  readonly fetch: typeof fetch
  listen(port?: number): Promise<ListeningVault>
  /** Closes the servers of `listen`. */
  close(): Promise<void>
  /** Cuts every connection with a request in progress, as when the server process dies. */
  cut(): void
}

/** Relative URLs are resolved against this one. The host of a request is ignored. */
const base = 'http://vault.test'

/** Creates connections to the handler. None is open yet. */
export function createConnections(handler: HttpHandler): Connections {
  const inProgress = new Set<() => void>()
  const listening = new Set<Closable>()
  const handle = createFetchHandler(handler)
  return {
    fetch: async (input, init) => {
      const url = typeof input === 'string' ? new URL(input, base) : input
      const request = new Request(url, init)
      const { signal } = request
      signal.throwIfAborted()
      return new Promise((resolve, reject) => {
        // The error that `fetch` throws when the connection is lost.
        const fail = (): void => reject(new TypeError('fetch failed'))
        const abort = (): void => reject(signal.reason)
        inProgress.add(fail)
        signal.addEventListener('abort', abort)
        const settle = (): void => {
          inProgress.delete(fail)
          signal.removeEventListener('abort', abort)
        }
        handle(request).then(resolve, reject).finally(settle)
      })
    },
    async listen(port = 0) {
      // Imported on demand, so that bundles for runtimes without these modules can contain this
      // file.
      const { createServer } = await import('node:http')
      const { createNodeListener } = await import('../../adapters/node.js')
      const listener = createNodeListener(handler)
      const server = createServer((request, response) => {
        const destroy = (): void => void request.socket.destroy()
        inProgress.add(destroy)
        response.on('close', () => inProgress.delete(destroy))
        listener(request, response)
      })
      await new Promise<void>((resolve, reject) => {
        server.on('error', reject).listen(port, '127.0.0.1', resolve)
      })
      const closable = toClosable(
        () =>
          new Promise((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      )
      listening.add(closable)
      const address = server.address()
      const chosen = typeof address === 'object' ? address?.port : port
      return {
        origin: `http://127.0.0.1:${chosen}`,
        ...closable,
      }
    },
    async close() {
      await Promise.all(Array.from(listening, ({ close }) => close()))
    },
    cut() {
      for (const end of inProgress) end()
      inProgress.clear()
    },
  }
}
