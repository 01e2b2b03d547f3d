/** Connections to a server that are kept, on each the next request when the last one is answered. */

import { connect, type Socket } from 'node:net'

/** A connection that answers a request, given as its text, with the status of its answer. */
export interface Connection {
  ask(request: string): Promise<number>
  close(): void
}

/** Opens a connection to a port of this machine. */
export function openConnection(port: number): Connection {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let waiting: PromiseWithResolvers<number> | undefined
  let received = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = answerIn(received)
    if (answer === undefined) return
    received = received.subarray(answer.length)
    waiting?.resolve(answer.status)
  })
  fail(socket, (error) => waiting?.reject(error))
  return {
    ask(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

function fail(socket: Socket, failed: (error: Error) => void): void {
  socket.on('error', failed)
  socket.on('close', () => failed(new Error('the server has closed the connection')))
}

/** The status of the answer that is there as a whole, and its length; undefined if it is not. */
function answerIn(bytes: Buffer): { readonly status: number; readonly length: number } | undefined {
  const header = bytes.indexOf('\r\n\r\n')
  if (header < 0) return undefined
  const text = bytes.toString('latin1', 0, header)
  const status = Number(text.slice(9, 12))
  const length = header + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  return length <= bytes.length ? { status, length } : undefined
}
