import { describe, expect, it } from 'vitest'
import { createFetchHandler, fromFetch } from '../../src/adapters/fetch.js'
import { type Authenticate, bearerAuth } from '../../src/http.js'
import {
  AuthenticationUnavailableError,
  type Caller,
  createCaller,
  UnauthorizedError,
} from '../../src/index.js'
import { adapters } from '../support/http/adapters.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { type FindCaller, type FrameworkLogin, logins } from '../support/http/logins.js'
import { mounts } from '../support/http/mounts.js'
import { createRequest, itemUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'

type CreateAuthenticate = (authenticate: () => Caller) => Authenticate

const functions: Readonly<Record<string, CreateAuthenticate>> = Object.assign(
  {},
  ...adapters.map((adapter) => adapter.logins),
)

/** Requests an item as `user`. Returns the response and the errors that `onError` received. */
async function requestItem(
  { serve }: FrameworkLogin,
  authenticate: Authenticate,
  user?: string,
): Promise<{ status: number; challenge: string | null; body: unknown; errors: unknown[] }> {
  const vault = await createTestVault()
  const errors: unknown[] = []
  const handler = createHttpHandler(vault.service, {
    authenticate,
    authenticationTimeoutMs: 50,
    onError: (error) => errors.push(error),
  })
  return withServer(await serve(handler), async (origin) => {
    const headers = user === undefined ? {} : { 'x-user': user }
    const response = await fetch(origin + itemUrl(vault), { headers })
    const challenge = response.headers.get('www-authenticate')
    return { status: response.status, challenge, body: await response.json(), errors }
  })
}

const knowsWendy: FindCaller = (user) => user === 'wendy' && createCaller({ id: user, vaults: '*' })
const unauthorized = { status: 401, message: 'Authentication is required' }
const unavailable = { status: 503, message: 'Service temporarily unavailable' }

describe('the mounts of package.json', () => {
  const names = adapters.map(({ name }) => name).sort()

  it.each([
    ['mounts of test/support/http/mounts.ts', mounts],
    ['logins of test/support/http/logins.ts', logins],
  ])('are those of the %s', (_, tested) => {
    expect([...new Set(tested.map(({ mount }) => mount))].sort()).toEqual(names)
  })
})

describe.each(logins)('the login of an app in $name', (login) => {
  const { mount, authenticateWith } = login

  it.each<[string, FindCaller]>([
    ['returns', knowsWendy],
    ['resolves with', async (user) => knowsWendy(user)],
  ])('is accepted when authenticate %s a caller for its user', async (_, findCaller) => {
    const response = await requestItem(login, authenticateWith(findCaller), 'wendy')
    expect(response).toMatchObject({ status: 200, body: { category: 'LOGIN' }, errors: [] })
  })

  it.each<[string, FindCaller]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['false', knowsWendy],
    ['a promise of an empty string', async () => '' as const],
    ['a promise of 0', async () => 0 as const],
  ])('responds with 401 and no challenge when authenticate returns %s', async (_, findCaller) => {
    const response = await requestItem(login, authenticateWith(findCaller))
    expect(response).toEqual({ status: 401, challenge: null, body: unauthorized, errors: [] })
  })

  it('responds with 401 and the message of an UnauthorizedError', async () => {
    const findCaller = () => Promise.reject(new UnauthorizedError('The session has expired'))
    const { status, challenge, body } = await requestItem(login, authenticateWith(findCaller))
    expect([status, challenge]).toEqual([401, null])
    expect(body).toEqual({ status: 401, message: 'The session has expired' })
  })

  it.each([
    ['Bearer', 'Invalid bearer token'],
    ['bearer realm="vault"', 'Invalid bearer token'],
    ['Basic realm="vault"', 'Authentication is required'],
    ['BearerX', 'Authentication is required'],
  ])('responds with 401 and the challenge %s', async (challenge, message) => {
    const response = await requestItem(login, authenticateWith(knowsWendy, { challenge }))
    expect(response).toEqual({ status: 401, challenge, body: { status: 401, message }, errors: [] })
  })

  it.each<[string, FindCaller]>([
    ['rejects', () => Promise.reject(new Error('the sessions are out of reach'))],
    [
      'throws',
      () => {
        throw new TypeError('no user')
      },
    ],
    ['never settles', () => new Promise(() => {})],
    ['returns true', () => true as never],
    ['returns a caller without an id', () => createCaller({ id: '', vaults: '*' })],
  ])('responds with 503 when authenticate %s', async (_, findCaller) => {
    const response = await requestItem(login, authenticateWith(findCaller), 'wendy')
    expect(response).toMatchObject({ status: 503, challenge: null, body: unavailable })
    expect(response.errors).toEqual([expect.any(AuthenticationUnavailableError)])
  })

  it('responds with 503 when the function is that of another mount', async () => {
    for (const other of logins.filter((each) => each.mount !== mount)) {
      const authenticate = other.authenticateWith(knowsWendy)
      const { status, body, errors } = await requestItem(login, authenticate, 'wendy')
      expect([status, body]).toEqual([503, unavailable])
      expect(errors).toEqual([expect.any(AuthenticationUnavailableError)])
      expect(errors).toMatchObject([
        { message: `the request must come from cofferkit/${other.mount}` },
      ])
    }
  })
})

describe.each(Object.entries(functions))('%s', (_, create) => {
  it.each([undefined, null, {}, 'wendy', createCaller({ id: 'wendy', vaults: '*' })])(
    'throws a TypeError at once when authenticate is %j',
    (authenticate) => {
      expect(() => create(authenticate as never)).toThrow(
        new TypeError('authenticate must be a function'),
      )
    },
  )

  it('responds with 503 to a request that comes from no mount', async () => {
    const vault = await createTestVault()
    const authenticate = create(() => createCaller({ id: 'wendy', vaults: '*' }))
    const handler = createHttpHandler(vault.service, { authenticate })
    expect((await handler(createRequest(vault, 'GET', itemUrl(vault)))).status).toBe(503)
  })
})

describe('fromExpress and bearerAuth', () => {
  it('authenticate users and programs in one function', async () => {
    const login = logins.find(({ name }) => name === 'Express 5') as FrameworkLogin
    const ofUser = login.authenticateWith(knowsWendy)
    const ofProgram = bearerAuth(async (token) => createCaller({ id: token, vaults: '*' }))
    const authenticate: Authenticate = (request) =>
      request.header('authorization') === undefined ? ofUser(request) : ofProgram(request)
    const vault = await createTestVault()
    const handler = createHttpHandler(vault.service, { authenticate })
    await withServer(await login.serve(handler), async (origin) => {
      const send = (headers: Record<string, string>) => fetch(origin + itemUrl(vault), { headers })
      expect((await send({ 'x-user': 'wendy' })).status).toBe(200)
      expect((await send({ authorization: 'Bearer deploy' })).status).toBe(200)
      const unknown = await send({ 'x-user': 'nick' })
      expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    })
  })
})

describe('fromFetch', () => {
  it('receives the Request and all other arguments of the handler', async () => {
    const vault = await createTestVault()
    const seen: unknown[] = []
    const authenticate = fromFetch((...values: [Request, object, object]) => {
      seen.push(...values)
      return createCaller({ id: 'wendy', vaults: '*' })
    })
    const handle = createFetchHandler(createHttpHandler(vault.service, { authenticate }))
    const request = new Request(`https://vault.example${itemUrl(vault)}`)
    const [env, ctx] = [{ users: {} }, { waitUntil: () => {} }]
    expect((await handle(request, env, ctx)).status).toBe(200)
    expect(seen[0]).toBe(request)
    expect(seen.slice(1)).toEqual([env, ctx])
  })
})
