/** Sends requests over kept connections, on each the next when the last one is answered. */

import { connect } from 'node:net'

/** Connections to a server. `run` resolves when `count` requests are answered, and rejects on anything but a 200. */
export function openConnections(port, size) {
  const connections = Array.from({ length: size }, () => openConnection(port))
  return {
    async run(count, nextRequest) {
      let left = count
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

function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let waiting
  let missing
  socket.on('data', (chunk) => {
    missing = missing === undefined ? missingAfter(chunk) : missing - chunk.length
    if (missing > 0) return
    const { resolve, reject } = waiting
    if (missing === 0) resolve()
    else reject(new Error(`unexpected answer: ${chunk.toString('latin1', 0, 200)}`))
    missing = undefined
  })
  socket.on('error', (error) => waiting?.reject(error))
  const send = (request) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject }
      socket.write(request, 'latin1')
    })
  return { socket, send }
}

/** How many bytes of the answer are still to come after its first chunk; negative if it is not as expected. */
function missingAfter(chunk) {
  const head = chunk.indexOf('\r\n\r\n')
  const text = chunk.toString('latin1', 0, head)
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (head < 0 || length === undefined || !text.startsWith('HTTP/1.1 200')) return -1
  return head + 4 + Number(length) - chunk.length
}
