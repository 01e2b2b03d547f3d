import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpHandler } from '../../src/http/message.js'
import { createSnapshotStore } from '../../src/testing/hostile/snapshot-store.js'
import {
  type BrokenVariant,
  bodyText,
  type HandlerDefect,
  readText,
  withChangedRequest,
  withChangedResponse,
  withEchoedBody,
  withoutHeader,
} from '../support/broken-variant.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { hostileRequests } from '../support/http/checked-handlers.js'
import { withListener, withServer } from '../support/http/serve.js'

const readItem = 'returns 403 for a caller of another vault trying to read an item'
const invalidItem = 'returns 400 for POST with a category in __proto__'
const secondOperationIsInvalid = 'returns 400 for a patch with an operation to add /__proto__/x'

/** Handlers with one defect for each assertion. */
const variants: readonly BrokenVariant<HandlerDefect>[] = [
  withChangedResponse(readItem, /^the status: expected 403, got 404/, (response) => ({
    ...response,
    status: 404,
  })),
  withChangedResponse(readItem, /^the error body/, (response) => ({
    ...response,
    body: bodyText(response).replace('}', ',"code":"FORBIDDEN"}'),
  })),
  withChangedResponse(readItem, /^the error body/, (response) => ({
    ...response,
    body: bodyText(response).replace('403', '"403"'),
  })),
  withChangedResponse(readItem, /^the message is empty or not a string/, (response) => ({
    ...response,
    body: '{"status":403,"message":""}',
  })),
  withChangedResponse(
    readItem,
    /^the message does not contain "vault [0189][a-z2-7]{25} is not in scope"/,
    (response) => ({
      ...response,
      body: '{"status":403,"message":"no"}',
    }),
  ),
  ...[
    'content-type',
    'cache-control',
    'x-content-type-options',
    'content-security-policy',
    'referrer-policy',
    'x-request-id',
  ].map((name) =>
    withChangedResponse(readItem, new RegExp(`^the header ${name}`), withoutHeader(name)),
  ),
  withChangedResponse(readItem, /^the CORS header/, (response) => ({
    ...response,
    headers: { ...response.headers, 'access-control-allow-origin': '*' },
  })),
  withChangedResponse(
    'returns 401 for Bearer without a token, on DELETE of an item',
    /^the header www-auth/,
    withoutHeader('www-authenticate'),
  ),
  withChangedResponse(
    'returns 405 for POST on /v1/vaults',
    /^the header allow/,
    withoutHeader('allow'),
  ),
  withChangedResponse(
    'returns 409 for a patch that always loses the race',
    /^the header retry-after/,
    withoutHeader('retry-after'),
  ),
  withChangedResponse(
    'returns 503 for any caller while the authenticator hangs',
    /^the header retry-after/,
    withoutHeader('retry-after'),
  ),
  withChangedResponse(
    'returns 200 for the download of a file with a line break in its name',
    /^the header x-evil/,
    (response) => ({ ...response, headers: { ...response.headers, 'x-evil': '1' } }),
  ),
  withChangedResponse(
    'returns 200 for an X-Request-Id with spaces, with a new id',
    /^the header x-request-id/,
    (response, request) => ({
      ...response,
      headers: { ...response.headers, 'x-request-id': String(request.header('x-request-id')) },
    }),
  ),
  withEchoedBody(invalidItem, /^the response contains secret/),
  withChangedResponse(readItem, /^the response contains secret/, (response, request) => ({
    ...response,
    headers: { ...response.headers, 'x-debug': String(request.header('authorization')) },
  })),
  withChangedResponse(readItem, /^the response contains secret/, (response) => ({
    ...response,
    body: '{"status":403,"message":"vault correct horse"}',
  })),
  withChangedRequest(
    'returns 404 for dot segments in the target',
    /^the status: expected 404, got 200/,
    ({ url }) => ({ url: new URL(url, 'http://vault').pathname }),
  ),
  {
    caseName: secondOperationIsInvalid,
    message: /^the store afterwards/,
    subject: (handler) => async (request) => {
      const patch: unknown[] = JSON.parse(await readText(request.body))
      await handler({ ...request, body: { parsed: patch.slice(0, 1) } })
      return handler({ ...request, body: { parsed: patch } })
    },
  },
  {
    caseName: 'returns 413 for an upload one byte over the limit',
    message: /^the store afterwards/,
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
    caseName: 'changes nothing for a client that disconnects in the middle of a new item',
    message: /^the store afterwards/,
    subject: (handler) => async (request) =>
      handler({ ...request, body: { parsed: JSON.parse(await readText(request.body)) } }),
  },
  {
    caseName: secondOperationIsInvalid,
    message: /^a built-in prototype was changed/,
    subject: (handler) => (request) => {
      Reflect.set(Object.prototype, polluted, true)
      return handler(request)
    },
  },
]
const polluted = 'cofferkitWasHere'

async function runCase(caseName: string, subject: HandlerDefect): Promise<void> {
  const contractCase = hostileRequests.find(({ name }) => name === caseName)
  await contractCase?.run({
    serve: (handler, work) => withListener(createNodeListener(subject(handler)), work),
  })
}

describe('hostileRequests', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, polluted)
  })

  it('has unique names', () => {
    const names = hostileRequests.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(400)
  })

  it.each(variants)('detects $message in $caseName', async ({ caseName, message, subject }) => {
    await expect(runCase(caseName, subject)).rejects.toThrow(message)
    await expect(runCase(caseName, (handler) => handler)).resolves.toBeUndefined()
  })

  it('does not repeat the secret in its error', async () => {
    const error: unknown = await runCase(invalidItem, withEchoedBody('', /./).subject).catch(
      (reason) => reason,
    )
    expect(String(error)).toMatch(/^Error: the response contains secret \d$/)
  })

  it.each<[string, string, RegExp]>([
    [
      'HEAD of a missing item, without a body',
      'HTTP/1.1 404 Not Found\r\n\r\n{}',
      /^the body of a response to HEAD/,
    ],
    [
      'a caller of another vault trying to read an item',
      'HTTP/1.1 403 Forbidden\r\n\r\n',
      /^the header content-type/,
    ],
    ['a caller of another vault trying to read an item', '', /^the status: expected 403, got 0/],
    ['dot segments in the target', 'HTTP/1.1 500 Oh\r\n\r\n', /^the status: expected 404, got 500/],
  ])('detects a server that responds to %s with %j', async (request, response, message) => {
    const contractCase = hostileRequests.find(({ name }) => name.endsWith(` for ${request}`))
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.end(response))
    })
    const mount = (_: HttpHandler, work: (origin: string) => Promise<void>): Promise<void> =>
      withServer(server, work)
    await expect(contractCase?.run({ serve: mount })).rejects.toThrow(message)
  })

  it('accepts a rejection by Node, a bridge or a framework only for requests they can reject', async () => {
    const contractCase = hostileRequests.find(({ name }) =>
      name.endsWith(' for dot segments in the target'),
    )
    for (const response of [
      '',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'HTTP/1.1 404 Not Found\r\n\r\n',
    ]) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', () => socket.end(response))
      })
      await contractCase?.run({ serve: (_, work) => withServer(server, work) })
    }
    expect(contractCase?.name).toBe('returns 404 for dot segments in the target')
  })
})

describe('createSnapshotStore', () => {
  it('returns a different snapshot after every write, and the same one for the same content', async () => {
    const { records, blobs, snapshot, blobIds } = createSnapshotStore()
    const key = { collection: 'a', id: 'b' }
    const snapshots = [await snapshot()]
    const takeSnapshot = async (): Promise<void> => void snapshots.push(await snapshot())
    await records.put(key, { body: utf8('x') }, 0)
    await takeSnapshot()
    await records.put(key, { body: utf8('x') }, 1)
    await takeSnapshot()
    await records.put({ ...key, collection: 'c' }, { body: utf8('x') }, 0)
    await takeSnapshot()
    await blobs.write('blob', streamOf([utf8('x')]))
    await takeSnapshot()
    expect(new Set(snapshots).size).toBe(5)
    expect(await blobIds()).toEqual(['blob'])
    await blobs.delete('blob')
    expect(await blobIds()).toEqual([])
    expect(await snapshot()).toBe(snapshots[3])
  })
})
