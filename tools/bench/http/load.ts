/** Sends requests over keep-alive connections, one request at a time on each. */

import { connect, type Socket } from 'node:net'

/** Connections to one server. */
export interface Connections {
  /** Resolves when `count` requests have succeeded. Rejects on any status but 200. */
  run(count: number, nextRequest: () => string): Promise<void>
  close(): void
}

interface Connection {
  readonly socket: Socket
  send(request: string): Promise<void>
}

/**
 * Opens `size` connections to a port of this machine.
 * @param staysAwake - Never sleeps while requests are under way. Waking the client adds 5 µs to the
 * server's write of a response, and is needed more often the slower the server is.
 */
export function openConnections(port: number, size: number, staysAwake: boolean): Connections {
  const connections = Array.from({ length: size }, () => openConnection(port))
  return {
    async run(count, nextRequest) {
      let left = count
      const stayAwake = (): void => void (left > 0 && setImmediate(stayAwake))
      if (staysAwake) stayAwake()
      await Promise.all(
        connections.map(async ({ send }) => {
          while (left-- > 0) await send(nextRequest())
        }),
      )
    },
    close() {
      for (const { socket } of connections) socket.destroy()
    },
  }
}

function openConnection(port: number): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let pending: PromiseWithResolvers<void> | undefined
  let missing: number | undefined
  socket.on('data', (chunk) => {
    missing = missing === undefined ? countMissing(chunk) : missing - chunk.length
    if (missing > 0) return
    if (missing === 0) pending?.resolve()
    else pending?.reject(new Error(`unexpected response: ${chunk.toString('latin1', 0, 200)}`))
    missing = undefined
  })
  socket.on('error', (error) => pending?.reject(error))
  return {
    socket,
    send(request) {
      pending = Promise.withResolvers()
      socket.write(request, 'latin1')
      return pending.promise
    },
  }
}

/** The bytes of the response after its first chunk; negative if the response is unexpected. */
function countMissing(chunk: Buffer): number {
  const head = chunk.indexOf('\r\n\r\n')
  const text = chunk.toString('latin1', 0, head)
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (head < 0 || length === undefined || !text.startsWith('HTTP/1.1 200')) return -1
  return head + 4 + Number(length) - chunk.length
}
