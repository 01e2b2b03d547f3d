/** A WebSocket server that forwards all bytes to a TCP server, as Neon's own proxy does. */

import { type AddressInfo, connect } from 'node:net'
import { WebSocketServer } from 'ws'

/** A proxy that is running. */
export interface WebSocketProxy {
  /** It listens on 127.0.0.1. */
  readonly port: number
  close(): void
}

/** Starts a proxy to the host and port of a URL. */
export async function startWebSocketProxy(url: string): Promise<WebSocketProxy> {
  const { hostname, port } = new URL(url)
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (client) => {
    const socket = connect(Number(port), hostname)
    client.on('message', (bytes) => socket.write(bytes as Buffer))
    client.on('close', () => socket.destroy())
    socket.on('data', (bytes) => client.send(bytes))
    socket.on('close', () => client.close())
    socket.on('error', () => client.close())
  })
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  }
}
