/** Counts the round trips between a client and its database server. */

import { connect, createServer, type Socket } from 'node:net'

/** A proxy on loopback in front of a server. */
export interface RoundTripCounter {
  readonly port: number
  /**
   * Returns the number of round trips since the last call: how often a connection has sent data
   * for the first time, or after data of the server.
   */
  takeCount(): number
  /** Closes the proxy and its connections. */
  close(): void
}

/** Starts a proxy in front of the server at this URL. */
export async function countRoundTrips({ hostname, port }: URL): Promise<RoundTripCounter> {
  const sockets: Socket[] = []
  let count = 0
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    let isWaiting = false
    client.on('data', () => {
      if (!isWaiting) count++
      isWaiting = true
    })
    server.on('data', () => {
      isWaiting = false
    })
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      sockets.push(socket)
    }
    client.pipe(server).pipe(client)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  return {
    port: address !== null && typeof address === 'object' ? address.port : 0,
    takeCount() {
      const taken = count
      count = 0
      return taken
    },
    close() {
      proxy.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
