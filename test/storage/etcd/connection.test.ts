import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isVaultError, StorageError, StorageUnavailableError } from '../../../src/index.js'
import { createEtcdStore, type EtcdStoreOptions } from '../../../src/storage/etcd.js'
import { utf8 } from '../../support/bytes.js'
import {
  base64,
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  startGateway,
} from '../../support/stores/etcd.js'

const key = { collection: 'c', id: 'a' }
const secret = 'hunter2'
const header = { cluster_id: '1', member_id: '2', revision: '3', raft_term: '4' }
const recordKey = base64('cofferkit/records\0c\0a')
const kv = { key: recordKey, create_revision: '2', mod_revision: '3', version: '1', value: 'eA==' }

const gateways: Gateway[] = []
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
})

async function start(respond: (request: GatewayRequest) => GatewayResponse): Promise<Gateway> {
  const gateway = await startGateway(respond)
  gateways.push(gateway)
  return gateway
}

function json(body: unknown, status = 200): GatewayResponse {
  return { status, text: JSON.stringify(body) }
}

const storeAt = (endpoints: readonly Gateway[], options: Partial<EtcdStoreOptions> = {}) =>
  createEtcdStore({ endpoints: endpoints.map(({ endpoint }) => endpoint), ...options })

/** Calls of the store, each of which rejects if the answer to its first request is wrong. */
const calls = {
  get: ({ records }) => records.get(key),
  create: ({ records }) => records.put(key, { body: utf8(secret) }, 0),
  update: ({ records }) => records.put(key, { body: utf8(secret), indexKey: 'l' }, 1),
  delete: ({ records }) => records.delete(key, 1),
  list: ({ records }) => records.list('c', { limit: 2 }),
  'list to maxBytes': ({ records }) => records.list('c', { limit: 2, maxBytes: 10 }),
  'list by index key': ({ records }) => records.list('c', { limit: 2, indexKey: 'l' }),
  read: ({ blobs }) => blobs.read('v/a'),
  write: ({ blobs }) => blobs.write('v/a', utf8(secret)),
  'delete a blob': ({ blobs }) => blobs.delete('v/a'),
} satisfies Record<string, (store: ReturnType<typeof createEtcdStore>) => Promise<unknown>>

async function rejectionOf(call: Promise<unknown>): Promise<StorageError> {
  const reason: unknown = await call.then(
    () => expect.unreachable('the call resolved'),
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(StorageError)
  if (!(reason instanceof StorageError)) throw new Error('not a StorageError')
  expect(`${reason.message} ${String(reason.cause)} ${reason.stack}`).not.toContain(secret)
  return reason
}

describe('createEtcdStore with answers that etcd does not give', () => {
  const answers: Readonly<Record<string, GatewayResponse>> = {
    'an empty body': { text: '' },
    'no JSON': { text: `<html>${secret}</html>` },
    'JSON that ends early': { text: `{"header":{"cluster_id":"1","${secret}` },
    null: { text: 'null' },
    'a list': { text: '[]' },
    'an empty object': { text: '{}' },
    'an empty header': json({ header: {}, succeeded: true }),
    'a header without a cluster': json({ header: { revision: '3' }, succeeded: true }),
    'a revision that is a number': json({ header: { ...header, revision: 3 } }),
    'a negative revision': json({ header: { ...header, revision: '-3' } }),
    'an error with status 200': json({ header, error: secret, message: secret, code: 2 }),
    'too many responses': json({
      header,
      succeeded: true,
      kvs: secret,
      responses: Array.from({ length: 9 }, () => ({ response_put: {} })),
    }),
    'responses of another kind': json({
      header,
      succeeded: true,
      kvs: {},
      responses: [{ response_txn: {} }, { response_txn: {} }],
    }),
    'a text in place of a truth value': json({ header, succeeded: 'true', kvs: 1, responses: [] }),
    'a redirect': { status: 307, headers: { Location: 'http://127.0.0.1:1/' }, text: '' },
    'a status of an unknown kind': json({ message: secret }, 418),
    'a page of a proxy': { status: 404, text: secret },
  }
  const cases = Object.entries(answers).flatMap(([name, answer]) =>
    Object.entries(calls).map(([call, run]) => ({ name, answer, call, run })),
  )
  it.each(cases)('rejects $call when the answer is $name', async ({ answer, run }) => {
    const error = await rejectionOf(run(storeAt([await start(() => answer)])))
    expect(error).toMatchObject({ status: expect.toBeOneOf([500, 503]) })
  })

  it.each([
    ['without a version', { ...kv, version: undefined }],
    ['with version 0', { ...kv, version: '0' }],
    ['with a version in exponents', { ...kv, version: '1e3' }],
    ['with a version that is not exact', { ...kv, version: '9007199254740993' }],
    ['without a revision', { ...kv, mod_revision: undefined }],
    ['without a key', { ...kv, key: undefined }],
    ['with another key', { ...kv, key: base64('cofferkit/records\0c\0b') }],
    ['with a value that is no text', { ...kv, value: { secret } }],
    ['with a value that is not base64', { ...kv, value: `${secret}!!!` }],
    ['that is null', null],
  ])('rejects a get of a key %s', async (_, found) => {
    const store = storeAt([await start(() => json({ header, kvs: [found], count: '1' }))])
    await rejectionOf(store.records.get(key))
  })

  it.each([
    ['of another collection', ['d\0a']],
    ['that are not ascending', ['c\0b', 'c\0a']],
    ['twice', ['c\0a', 'c\0a']],
    ['beyond the limit', ['c\0a', 'c\0b', 'c\0c']],
  ])('rejects a list with ids %s', async (_, names) => {
    const kvs = names.map((name) => ({ ...kv, key: base64(`cofferkit/records\0${name}`) }))
    const store = storeAt([await start(() => json({ header, kvs }))])
    await rejectionOf(store.records.list('c', { limit: 2 }))
  })

  it('rejects a list whose bodies are not those of the ids that were found', async () => {
    const other = { ...kv, key: base64('cofferkit/records\0c\0b') }
    const found = { response_range: { kvs: [kv] } }
    const store = storeAt([
      await start(({ path }) =>
        path.endsWith('/txn')
          ? json({ header, succeeded: true, responses: [found, { response_range: {} }] })
          : json({ header, kvs: [other] }),
      ),
    ])
    await rejectionOf(store.records.list('c', { limit: 2, maxBytes: 10 }))
  })

  it.each(['', 'x', '1.5', '1\nl', `l ${secret}`])(
    'rejects an entry with the text %j',
    async (text) => {
      const entry = { ...kv, value: base64(text) }
      const responses = [{ response_range: { kvs: [kv] } }, { response_range: { kvs: [entry] } }]
      const store = storeAt([await start(() => json({ header, responses }))])
      await rejectionOf(store.records.put(key, { body: utf8(secret) }, 1))
    },
  )

  it.each(['', 'x', 'new x', 'end 12345678-1234-1234-1234-123456789012', 'end x 2'])(
    'rejects a blob with the description %j',
    async (text) => {
      const blob = { ...kv, key: base64('cofferkit/blobs\0v/a'), value: base64(text) }
      const store = storeAt([await start(() => json({ header, kvs: [blob] }))])
      await rejectionOf(store.blobs.read('v/a'))
    },
  )

  it('rejects answers of another cluster than the first one', async () => {
    let id = 0
    const store = storeAt([
      await start(() => json({ header: { ...header, cluster_id: String(++id) } })),
    ])
    expect(await store.records.get(key)).toBeUndefined()
    const error = await rejectionOf(store.records.get(key))
    expect(error.message).toBe('the endpoints belong to different etcd clusters')
  })

  it('sends nothing to the target of a redirect', async () => {
    const target = await start(() => json({ header }))
    const headers = { Location: `${target.endpoint}/v3/kv/range` }
    const gateway = await start(() => ({ status: 307, headers, text: '' }))
    await rejectionOf(storeAt([gateway]).records.get(key))
    expect(target.requests).toEqual([])
  })
})

describe('createEtcdStore with errors of etcd', () => {
  it.each([
    [400, 3, 'etcdserver: request is too large', 500, 'the request is larger than etcd accepts'],
    [
      429,
      8,
      'grpc: received message larger than max (9 vs. 5)',
      500,
      'the request is larger than etcd accepts',
    ],
    [
      429,
      8,
      'etcdserver: mvcc: database space exceeded',
      503,
      'etcd has used up its space quota: compact it, and disarm the alarm',
    ],
    [
      403,
      7,
      'etcdserver: permission denied',
      500,
      'the user has no permission for the keys in etcd',
    ],
    [
      400,
      3,
      'etcdserver: too many operations in txn request',
      500,
      'etcd accepts fewer operations in a transaction than needed',
    ],
    [401, 16, 'etcdserver: invalid auth token', 500, 'etcd does not accept the token'],
    [400, 3, 'etcdserver: user name is empty', 500, 'etcd requires a user and password'],
    [401, undefined, secret, 500, 'etcd requires a user and password'],
    [
      400,
      11,
      'etcdserver: mvcc: required revision has been compacted',
      503,
      'the revision was compacted while it was read',
    ],
    [503, 14, 'etcdserver: request timed out', 503, 'etcd is not available'],
    [503, 14, 'etcdserver: no leader', 503, 'etcd is not available'],
    [504, 4, 'context deadline exceeded', 503, 'etcd is not available'],
    [502, undefined, secret, 503, 'etcd is not available'],
    [500, 13, secret, 500, 'etcd rejected the request'],
  ])('reports %i, %s: %s', async (status, code, message, expected, text) => {
    const gateway = await start(() => json({ error: message, message, code }, status))
    for (const [name, run] of Object.entries(calls)) {
      const error = await rejectionOf(run(storeAt([gateway])))
      expect([name, error.status, error.message]).toEqual([name, expected, text])
    }
  })

  it('reads a page again when its revision was compacted, at most three times', async () => {
    const message = 'etcdserver: mvcc: required revision has been compacted'
    const responses = [{ response_range: { kvs: [kv] } }, { response_range: {} }]
    const gateway = await start(({ path }) =>
      path.endsWith('/txn')
        ? json({ header, succeeded: true, responses })
        : json({ message, code: 11 }, 400),
    )
    await rejectionOf(storeAt([gateway]).records.list('c', { limit: 2, maxBytes: 10 }))
    expect(gateway.requests.map(({ path }) => path.slice(-3))).toEqual([
      'txn',
      'nge',
      'txn',
      'nge',
      'txn',
      'nge',
    ])
  })
})

describe('createEtcdStore with several endpoints', () => {
  let closed: Gateway
  beforeAll(async () => {
    closed = await startGateway(() => 'drop')
    await closed.close()
  })
  const wrote = { header, succeeded: true, responses: [{ response_put: {} }] }
  const ok = () => start(({ path }) => json(path.endsWith('/txn') ? wrote : { header }))
  const write = (store: ReturnType<typeof createEtcdStore>) =>
    store.records.put(key, { body: utf8('x') }, 0)

  it('sends a write to the next one when the connection was refused', async () => {
    const gateway = await ok()
    expect(await write(storeAt([closed, closed, gateway]))).toBe(true)
    expect(gateway.requests).toHaveLength(1)
  })

  it.each<[string, GatewayResponse]>([
    ['the connection was lost', 'drop'],
    ['there was no answer in time', 'hang'],
    [
      'the member was not available',
      json({ message: 'etcdserver: request timed out', code: 14 }, 503),
    ],
  ])('sends a write only once when %s, and the next one elsewhere', async (_, answer) => {
    const [first, second] = [await start(() => answer), await ok()]
    const store = storeAt([first, second], { timeoutMs: 1000 })
    const error = await rejectionOf(write(store))
    expect(error).toBeInstanceOf(StorageUnavailableError)
    expect([first.requests.length, second.requests.length]).toEqual([1, 0])
    expect(await write(store)).toBe(true)
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
  })

  it.each<[string, GatewayResponse]>([
    ['the connection was lost', 'drop'],
    ['there was no answer in time', 'hang'],
    [
      'the member was not available',
      json({ message: 'etcdserver: request timed out', code: 14 }, 503),
    ],
  ])('sends a read to each one until it is answered when %s', async (_, answer) => {
    const gateways = [await start(() => answer), await start(() => answer), await ok()]
    const store = storeAt(gateways, { timeoutMs: 1000 })
    expect(await store.records.get(key)).toBeUndefined()
    expect(gateways.map(({ requests }) => requests.length)).toEqual([1, 1, 1])
    expect(await store.records.list('c', { limit: 1 })).toEqual([])
    expect(gateways.map(({ requests }) => requests.length)).toEqual([1, 1, 2])
  })

  it('rejects after each one was tried once', async () => {
    const gateways = [await start(() => 'drop'), await start(() => 'drop')]
    const error = await rejectionOf(storeAt(gateways).records.get(key))
    expect(error).toMatchObject({ status: 503, message: 'etcd cannot be reached' })
    expect(gateways.map(({ requests }) => requests.length)).toEqual([1, 1])
    const refused = await rejectionOf(write(storeAt([closed, closed])))
    expect(String(refused.cause)).toContain('ECONNREFUSED')
  })

  it('does not take a lost connection for a refused one, whatever its code', async () => {
    const cause = Object.assign(new Error(secret), { code: 'EHOSTUNREACH', syscall: 'read' })
    let count = 0
    const store = createEtcdStore({
      endpoints: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
      fetch: () => {
        count++
        return Promise.reject(new TypeError('fetch failed', { cause }))
      },
    })
    await rejectionOf(write(store))
    expect(count).toBe(1)
  })
})

describe('createEtcdStore with a user', () => {
  const user = { username: 'wendy', password: secret }
  const refused = json({ message: 'etcdserver: invalid auth token', code: 16 }, 401)

  it('obtains one token for concurrent calls, and another one when it is refused', async () => {
    let issued = 0
    const gateway = await start(({ path, authorization }) => {
      if (path.endsWith('/authenticate')) return json({ header, token: `token.${++issued}` })
      return authorization === `token.${issued}` ? json({ header }) : refused
    })
    const store = storeAt([gateway], user)
    const readAll = () => Promise.all([1, 2, 3].map(() => store.records.get(key)))
    expect(await readAll()).toEqual([undefined, undefined, undefined])
    expect(issued).toBe(1)
    issued = 7
    expect(await readAll()).toEqual([undefined, undefined, undefined])
    expect(issued).toBe(8)
    const { body } = gateway.requests[0] ?? {}
    expect(body).toEqual({ name: 'wendy', password: secret })
  })

  it('sends a request at most twice when every token is refused', async () => {
    const gateway = await start(({ path }) =>
      path.endsWith('/authenticate') ? json({ header, token: 't' }) : refused,
    )
    await rejectionOf(storeAt([gateway], user).records.put(key, { body: utf8('x') }, 0))
    expect(gateway.requests.filter(({ path }) => path.endsWith('/txn'))).toHaveLength(2)
  })

  it.each([undefined, 7, '', 'a\r\nb', 'x'.repeat(9000)])(
    'rejects when the token is %j',
    async (token) => {
      const store = storeAt([await start(() => json({ header, token }))], user)
      await rejectionOf(store.records.get(key))
    },
  )

  it('authenticates again after it has failed', async () => {
    let count = 0
    const gateway = await start(({ path }) => {
      if (!path.endsWith('/authenticate')) return json({ header })
      return ++count === 1 ? json({ code: 14, message: '' }, 503) : json({ header, token: 't' })
    })
    const store = storeAt([gateway], user)
    await rejectionOf(store.records.get(key))
    expect(await store.records.get(key)).toBeUndefined()
  })

  it('is recognized as an error of the library when it rejects', async () => {
    const store = storeAt([await start(() => 'drop')], user)
    expect(isVaultError(await rejectionOf(store.records.get(key)))).toBe(true)
  })
})
