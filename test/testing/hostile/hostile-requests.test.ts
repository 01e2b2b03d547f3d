import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpHandler } from '../../../src/http/message.js'
import { parseRawResponse } from '../../../src/testing/hostile/check-response.js'
import { createSnapshotStore } from '../../../src/testing/hostile/snapshot-store.js'
import {
  answers,
  asks,
  type Breaking,
  type BrokenTwin,
  echoes,
  text,
  textOf,
  without,
} from '../../support/broken-variant.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { hostileRequests } from '../../support/http/checked-handlers.js'
import { listening, serving } from '../../support/http/serve.js'

const readItem = 'answers 403 to a stranger who asks to read an item'
const badTitle = 'answers 400 to an item with the title true'
const lastIsBad = 'answers 400 to a patch with a last operation that is bad, of 256'

/** A handler with one defect for each thing that is looked at. */
const twins: readonly BrokenTwin<Breaking>[] = [
  answers(readItem, /^the status: expected 403, got 404/, (response) => ({
    ...response,
    status: 404,
  })),
  answers(readItem, /^the body of the error/, (response) => ({
    ...response,
    body: text(response).replace('}', ',"code":"FORBIDDEN"}'),
  })),
  answers(readItem, /^the body of the error/, (response) => ({
    ...response,
    body: text(response).replace('403', '"403"'),
  })),
  answers(readItem, /^the message is a sentence/, (response) => ({
    ...response,
    body: '{"status":403,"message":""}',
  })),
  answers(readItem, /^the message holds "vault [a-z2-7]{26} is not in scope"/, (response) => ({
    ...response,
    body: '{"status":403,"message":"no"}',
  })),
  ...[
    'content-type',
    'cache-control',
    'x-content-type-options',
    'content-security-policy',
    'referrer-policy',
    'x-request-id',
  ].map((name) => answers(readItem, new RegExp(`^the header ${name}`), without(name))),
  answers(readItem, /^the header of CORS/, (response) => ({
    ...response,
    headers: { ...response.headers, 'access-control-allow-origin': '*' },
  })),
  answers(
    'answers 401 to Bearer alone, asking to delete an item',
    /^the header www-auth/,
    without('www-authenticate'),
  ),
  answers('answers 405 to POST on /v1/vaults', /^the header allow/, without('allow')),
  answers(
    'answers 409 to a new vault under an id that is taken',
    /^the header retry-after/,
    without('retry-after'),
  ),
  answers(
    'answers 503 to anybody while the authenticator hangs',
    /^the header retry-after/,
    without('retry-after'),
  ),
  answers(
    'answers 200 to the download of a file with a line break in its name',
    /^the header x-evil/,
    (response) => ({ ...response, headers: { ...response.headers, 'x-evil': '1' } }),
  ),
  answers(
    'answers 200 to an X-Request-Id with blanks, under an id of its own',
    /^the header x-request-id/,
    (response, request) => ({
      ...response,
      headers: { ...response.headers, 'x-request-id': String(request.header('x-request-id')) },
    }),
  ),
  echoes(badTitle, /^the answer holds the secret/),
  answers(readItem, /^the answer holds the secret/, (response, request) => ({
    ...response,
    headers: { ...response.headers, 'x-debug': String(request.header('authorization')) },
  })),
  answers(readItem, /^the answer holds the secret/, (response) => ({
    ...response,
    body: '{"status":403,"message":"vault correct horse"}',
  })),
  asks(
    'answers 404 to dot segments in the target',
    /^the status: expected 404, got 200/,
    ({ url }) => ({ url: new URL(url, 'http://vault').pathname }),
  ),
  {
    caught: lastIsBad,
    seen: /^what is stored afterwards/,
    subject: (handler) => async (request) => {
      const patch: unknown[] = JSON.parse(await textOf(request.body))
      await handler({ ...request, body: { parsed: patch.slice(0, 1) } })
      return handler({ ...request, body: { parsed: patch } })
    },
  },
  {
    caught: 'answers 413 to an upload of a byte more than the limit',
    seen: /^what is stored afterwards/,
    subject: (handler) => async (request) => {
      await handler({
        ...request,
        header: (name) => (name === 'content-length' ? undefined : request.header(name)),
        body: streamOf([utf8('part')]),
      })
      return handler(request)
    },
  },
  {
    caught: 'answers nothing to a client who hangs up in the middle of a new item',
    seen: /^what is stored afterwards/,
    subject: (handler) => async (request) =>
      handler({ ...request, body: { parsed: JSON.parse(await textOf(request.body)) } }),
  },
  {
    caught: lastIsBad,
    seen: /^nothing is written onto/,
    subject: (handler) => (request) => {
      Reflect.set(Object.prototype, polluted, true)
      return handler(request)
    },
  },
]
const polluted = 'cofferkitWasHere'

async function against(caught: string, subject: Breaking): Promise<void> {
  const found = hostileRequests.find(({ name }) => name === caught)
  await found?.run({
    serve: (handler, work) => serving(createNodeListener(subject(handler)), work),
  })
}

describe('hostileRequests', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, polluted)
  })

  it('names every case once', () => {
    const names = hostileRequests.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(1000)
  })

  it.each(twins)('sees $seen where $caught', async ({ caught, seen, subject }) => {
    await expect(against(caught, subject)).rejects.toThrow(seen)
    await expect(against(caught, (handler) => handler)).resolves.toBeUndefined()
  })

  it('never repeats a secret that it has found', async () => {
    const error: unknown = await against(badTitle, echoes('', /./).subject).catch(
      (reason) => reason,
    )
    expect(String(error)).toMatch(/^Error: the answer holds the secret \d$/)
  })

  it.each<[string, string, RegExp]>([
    [
      'HEAD of an absent item, without a body',
      'HTTP/1.1 404 Not Found\r\n\r\n{}',
      /^the body of an answer to HEAD/,
    ],
    [
      'a stranger who asks to read an item',
      'HTTP/1.1 403 Forbidden\r\n\r\n',
      /^the header content-type/,
    ],
    ['a stranger who asks to read an item', '', /^the status: expected 403, got 0/],
    ['dot segments in the target', 'HTTP/1.1 500 Oh\r\n\r\n', /^the status: expected 404, got 500/],
  ])('sees a server that answers %s with %j', async (what, answer, seen) => {
    const found = hostileRequests.find(({ name }) => name.endsWith(` to ${what}`))
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end(answer))
    })
    const mount = (_: HttpHandler, work: (origin: string) => Promise<void>): Promise<void> =>
      listening(server, work)
    await expect(found?.run({ serve: mount })).rejects.toThrow(seen)
  })

  it('lets Node, a bridge or a framework be the one who refuses what is no request, and nobody else', async () => {
    const found = hostileRequests.find(({ name }) =>
      name.endsWith(' to dot segments in the target'),
    )
    for (const answer of [
      '',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'HTTP/1.1 404 Not Found\r\n\r\n',
    ]) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', () => socket.end(answer))
      })
      await found?.run({ serve: (_, work) => listening(server, work) })
    }
    expect(found?.name).toBe('answers 404 to dot segments in the target')
  })
})

describe('createWatchedStore', () => {
  it('has another snapshot after every write, and the same when all is as it was', async () => {
    const { records, blobs, snapshot, blobIds } = createSnapshotStore()
    const key = { collection: 'a', id: 'b' }
    const seen = [await snapshot()]
    const look = async (): Promise<void> => void seen.push(await snapshot())
    await records.put(key, { body: utf8('x') }, 0)
    await look()
    await records.put(key, { body: utf8('x') }, 1)
    await look()
    await records.put({ ...key, collection: 'c' }, { body: utf8('x') }, 0)
    await look()
    await blobs.write('blob', streamOf([utf8('x')]))
    await look()
    expect(new Set(seen).size).toBe(5)
    expect(await blobIds()).toEqual(['blob'])
    await blobs.delete('blob')
    expect(await blobIds()).toEqual([])
    expect(await snapshot()).toBe(seen[3])
  })
})

describe('parseAnswer', () => {
  it('puts chunks together', () => {
    const header = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-a: b: c\r\n\r\n'
    const parsed = parseRawResponse({ status: 200, text: `${header}3\r\nä1\r\n2\r\n22\r\n0\r\n\r\n` })
    expect([parsed.body, parsed.headers.get('x-a')]).toEqual(['ä122', 'b: c'])
  })
})
