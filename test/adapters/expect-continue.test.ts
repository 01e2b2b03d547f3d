import { once } from 'node:events'
import { type ClientHttp2Stream, connect, createServer } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import {
  readUntil,
  socketMounts,
  statuses,
  unauthorized,
  withMount,
} from '../support/http/unread-bodies.js'
import { inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

const expectation = 'expect: 100-continue'
const token = 'authorization: Bearer full-token'
const continues = { continues: true }

describe.each(socketMounts)('100 Continue on $name', (mount) => {
  it.each([
    ['is unknown', '401', [], unauthorized],
    [
      'must not write',
      '403',
      ['authorization: Bearer reader-token'],
      'is not in scope for writing',
    ],
  ])(
    'is not sent when the server has a listener for it and the caller %s',
    async (_, status, headers, message) => {
      await withMount(
        mount,
        async ({ origin, post }) => {
          const socket = await sendRaw(origin, post(...headers, expectation, 'content-length: 5'))
          const text = await inTime('closing', readUntilClosed(socket))
          expect(statuses(text)).toEqual([status])
          expect(text).toMatch(/^connection: close/im)
          expect(text).toContain(message)
        },
        continues,
      )
    },
  )

  it.each([
    ['has a listener for it', continues],
    ['sends it itself', {}],
  ])('is sent once when the body is read and the server %s', async (_, options) => {
    await withMount(
      mount,
      async ({ vault, origin, post }) => {
        const item = JSON.stringify(noteDraft(vault.vaultId))
        const headers = [token, expectation, `content-length: ${item.length}`, 'connection: close']
        const socket = await sendRaw(origin, post(...headers))
        const first = await inTime('100 Continue', readUntil(socket, '\r\n\r\n'))
        const text = readUntilClosed(socket)
        socket.write(item)
        expect(statuses(first + (await inTime('the response', text)))).toEqual(['100', '200'])
      },
      options,
    )
  })

  it('is not sent when the body came with the headers', async () => {
    await withMount(
      mount,
      async ({ vault, origin, post }) => {
        const item = JSON.stringify(noteDraft(vault.vaultId))
        const headers = [token, expectation, `content-length: ${item.length}`]
        const socket = await sendRaw(origin, post(...headers), item)
        const text = await inTime('the response', readUntilClosed(socket))
        expect(statuses(text)).toEqual(['200'])
      },
      continues,
    )
  })
})

describe('100 Continue on node:http2', () => {
  /** Sends a request that waits for it. Returns the statuses of the responses, and the text. */
  async function send(continuing: boolean, authorization: string): Promise<unknown[]> {
    const vault = await createTestVault()
    const listener = createNodeListener(vault.handler)
    const server = createServer(listener)
    if (continuing) server.on('checkContinue', listener)
    const received: unknown[] = []
    await withServer(server, async (origin) => {
      const client = connect(origin)
      const stream: ClientHttp2Stream = client.request({
        ':method': 'POST',
        ':path': vaultUrl(vault, '/items'),
        authorization,
        expect: '100-continue',
      })
      stream.on('headers', (headers) => received.push(headers[':status']))
      stream.on('continue', () => stream.end(JSON.stringify(noteDraft(vault.vaultId))))
      const [headers] = await inTime('the response', once(stream, 'response'))
      received.push(headers[':status'])
      await once(stream.resume(), 'close')
      received.push(stream.rstCode)
      client.destroy()
    })
    return received
  }

  it('is not sent when the server has a listener for it and the caller is refused', async () => {
    expect(await send(true, 'Bearer none')).toEqual([401, 0])
    expect(await send(true, 'Bearer reader-token')).toEqual([403, 0])
  })

  it('is sent once when the body is read', async () => {
    expect(await send(true, 'Bearer full-token')).toEqual([100, 200, 0])
    expect(await send(false, 'Bearer full-token')).toEqual([100, 200, 0])
  })
})
