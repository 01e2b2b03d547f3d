import { createCaller, createVaultService, RuleError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTestClock } from 'cofferkit/testing'
import { createSecretFetch, type SecretFetchOptions, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { useVirtualTime } from '../support/virtual-time.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.example.com'
const value = 'sk_live_correct_horse'
const expired = { code: 'UNAUTHORIZED', status: 401, message: 'the caller has expired' }
const encode = (text: string) => new TextEncoder().encode(text)

/** A secret fetch of an agent who expires in a second of the clock. */
async function setUp(options: SecretFetchOptions) {
  const clock = createTestClock()
  const service = createVaultService({ store: createMemoryStore(), now: clock })
  const owner = createCaller({ id: 'owner', vaults: '*' })
  const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
  const { id: itemId } = await service.createItem(owner, {
    vaultId,
    item: {
      category: 'API_CREDENTIAL',
      urls: [{ href: origin }],
      fields: [{ id: 'key', type: 'CONCEALED', value }],
    },
  })
  const expiresAt = new Date(clock().getTime() + 1000)
  const use = [{ items: [itemId], methods: ['GET'] }]
  const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, expiresAt, use })
  const secretFetch = createSecretFetch(vaultSecrets(service, agent), {
    ...{ refusal: 'throw', ...options },
  })
  const headers = { authorization: `Bearer {{ op://${vaultId}/${itemId}/key }}` }
  const send = (init: RequestInit = {}) => secretFetch(origin, { headers, ...init })
  return { clock, send }
}

/** A body whose chunks are enqueued by a test, and whether it was cancelled. */
function createBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const state = { isCancelled: false, push: (text: string) => controller?.enqueue(encode(text)) }
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    cancel() {
      state.isCancelled = true
    },
  })
  return { state, response: async () => new Response(body) }
}

describe('createSecretFetch of a caller who expires', () => {
  it('sends a request that the caller is allowed, by the ids of the item', async () => {
    const fetch = async (_url: string, init: RequestInit) =>
      new Response(new Headers(init.headers).get('authorization'))
    const { send } = await setUp({ fetch })
    expect(await (await send()).text()).toBe('Bearer [secret]')
    await expect(send({ method: 'POST' })).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED' })
  })

  it('asks nobody about a use that the caller is not allowed', async () => {
    const { send } = await setUp({ allow: () => expect.unreachable('allow was called') })
    await expect(send({ method: 'POST' })).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED' })
  })

  it('ends a response that has begun, at its next chunk', async () => {
    const { state, response } = createBody()
    const { clock, send } = await setUp({ fetch: response })
    const reader = (await send()).body?.getReader()
    state.push('one\n')
    expect((await reader?.read())?.value).toEqual(encode('one\n'))
    clock.advance(1000)
    state.push('two\n')
    await expect(reader?.read()).rejects.toMatchObject(expired)
    expect(state.isCancelled).toBe(true)
  })

  it('returns no chunk that was received before, and no end', async () => {
    const { state, response } = createBody()
    const { clock, send } = await setUp({ fetch: response })
    const reader = (await send()).body?.getReader()
    for (const text of ['one\n', 'two\n', 'three\n']) state.push(text)
    expect((await reader?.read())?.value).toEqual(encode('one\n'))
    await new Promise((resolve) => setTimeout(resolve))
    clock.advance(1000)
    await expect(reader?.read()).rejects.toMatchObject(expired)
  })

  it('can be read to its end, and be cancelled, before', async () => {
    const { send } = await setUp({ fetch: async () => new Response('one\n') })
    expect(await (await send()).text()).toBe('one\n')
    const { state, response } = createBody()
    const other = await setUp({ fetch: response })
    await (await other.send()).body?.cancel()
    expect(state.isCancelled).toBe(true)
  })

  it('ends a response that sends nothing, by the clock of the service', async () => {
    const { state, response } = createBody()
    const { clock, send } = await setUp({ fetch: response })
    const reader = (await send()).body?.getReader()
    useVirtualTime()
    // The timer is over before the clock of the service is.
    setTimeout(() => clock.advance(999), 1500)
    setTimeout(() => clock.advance(1), 5000)
    await expect(reader?.read()).rejects.toMatchObject(expired)
    expect(state.isCancelled).toBe(true)
  })

  it('fails with the error of a body that breaks off before', async () => {
    const fetch = async () =>
      new Response(
        new ReadableStream({
          pull() {
            throw new Error(value)
          },
        }),
      )
    const { send } = await setUp({ fetch })
    await expect((await send()).text()).rejects.toThrow(new TypeError('the request failed'))
  })

  it('returns no response that came too late, and cancels it', async () => {
    const { state, response } = createBody()
    const fetch = async () => {
      clock.advance(1000)
      return response()
    }
    const { clock, send } = await setUp({ fetch })
    await expect(send()).rejects.toMatchObject(expired)
    expect(state.isCancelled).toBe(true)
  })

  it('sends nothing when allow was answered too late', async () => {
    const allow = async () => {
      clock.advance(1000)
      return true
    }
    const fetch = async () => expect.unreachable('the request was sent')
    const { clock, send } = await setUp({ allow, fetch })
    await expect(send()).rejects.toMatchObject(expired)
  })

  it('follows no redirect after that', async () => {
    let requests = 0
    const fetch = async () => {
      requests++
      clock.advance(500)
      return Response.redirect(`${origin}/next`, 302)
    }
    const { clock, send } = await setUp({ fetch })
    await expect(send()).rejects.toMatchObject(expired)
    expect(requests).toBe(2)
  })
})

describe('FoundSecret.timeLeft', () => {
  it.each([0, -1, Number.NaN, '5', undefined])(
    'is a RuleError when it returns %s',
    async (left) => {
      const timeLeft = (() => left) as () => number
      const source = sourceOf(async () => ({ value, origins: [origin], timeLeft }))
      const secretFetch = createSecretFetch(source, { fetch: async () => new Response('') })
      const headers = { authorization: 'Bearer {{ op://keys/7/token }}' }
      await expect(secretFetch(origin, { headers })).rejects.toEqual(
        new RuleError('timeLeft of a secret must return a number of more than 0, or throw'),
      )
    },
  )

  it('is a RuleError when it is not a function', async () => {
    const source = sourceOf(async () => ({ value, origins: [origin], timeLeft: 5 as never }))
    const headers = { authorization: 'Bearer {{ op://keys/7/token }}' }
    await expect(createSecretFetch(source)(origin, { headers })).rejects.toThrow(RuleError)
  })
})
