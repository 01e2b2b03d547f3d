/** Connections to a server that are reused for one request after the other. */

import { connect, type Socket } from 'node:net'

/** An open connection. */
export interface Connection {
  /** Sends the text of a request. Resolves with the status of the response. */
  send(request: string): Promise<number>
  close(): void
}

/** Opens a connection to a port of this machine. */
export function openConnection(port: number): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let waiting: PromiseWithResolvers<number> | undefined
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const response = parseResponse(received)
    if (response === undefined) return
    received = received.subarray(response.length)
    waiting?.resolve(response.status)
  })
  onFailure(socket, (error) => waiting?.reject(error))
  return {
    send(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

function onFailure(socket: Socket, listener: (error: Error) => void): void {
  socket.on('error', listener)
  socket.on('close', () => listener(new Error('the server has closed the connection')))
}

/** The status and length of the first response; undefined if it is incomplete. */
function parseResponse(
  bytes: Buffer,
): { readonly status: number; readonly length: number } | undefined {
  const header = bytes.indexOf('\r\n\r\n')
  if (header < 0) return undefined
  const text = bytes.toString('latin1', 0, header)
  const status = Number(text.slice(9, 12))
  const length = header + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return length <= bytes.length ? { status, length } : undefined
}
