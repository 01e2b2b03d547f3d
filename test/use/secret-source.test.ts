import { createSecretFetch, type FilledInit, type SecretSource } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { notFoundError } from '../../src/base/fixed-errors.js'
import { RuleError, SecretUseError } from '../../src/index.js'

const origin = 'https://api.example.com'
const value = 'sk_live_correct_horse'
const headers = { authorization: 'Bearer {{ op://keys/7/token }}' }
const found = { value, origins: [`${origin}/v1`] }
const echo = async (_url: string, { headers: sent }: FilledInit) =>
  new Response(sent['authorization'])
const unsent = async (): Promise<Response> => expect.unreachable('the request was sent')

describe('createSecretFetch over a source of the embedder', () => {
  it('passes the reference and the request to find, and masks the value', async () => {
    const calls: unknown[] = []
    const find: SecretSource['find'] = async (...call) => {
      calls.push(call)
      return found
    }
    const response = await createSecretFetch({ find }, { fetch: echo })(origin, { headers })
    expect(await response.text()).toBe('Bearer [secret]')
    const target = { origin, method: 'GET', place: 'header:authorization' }
    expect(calls).toEqual([[{ vault: 'keys', item: '7', field: 'token' }, target]])
  })

  it.each([[[]], [['https://evil.example']], [['no URL']]])(
    'compares the origins: %o',
    async (origins) => {
      const secretFetch = createSecretFetch(
        { find: async () => ({ value, origins }) },
        { fetch: unsent, refusal: 'throw' },
      )
      await expect(secretFetch(origin, { headers })).rejects.toEqual(
        new SecretUseError(
          `the secret has no such origin: op://keys/7/token in header:authorization, for ${origin}`,
          { reason: 'ORIGIN' },
        ),
      )
    },
  )

  it.each<[string, Partial<SecretSource>]>([
    ['secrets.find failed', { find: () => Promise.reject(new Error(value)) }],
    [
      'secrets.find must resolve with an object with value and origins',
      { find: async () => undefined as never },
    ],
    ['secrets.aroundUse failed', { aroundUse: () => Promise.reject(new Error(value)) }],
    ['secrets.aroundUse must call next', { aroundUse: async () => {} }],
  ])('rejects with RuleError and no text of the source: %s', async (message, changes) => {
    const secretFetch = createSecretFetch(
      { find: async () => found, ...changes },
      { fetch: unsent, refusal: 'throw' },
    )
    await expect(secretFetch(origin, { headers })).rejects.toEqual(new RuleError(message))
  })

  it('passes on an error of the library', async () => {
    const missing = notFoundError('item', '7')
    const secretFetch = createSecretFetch(
      { find: () => Promise.reject(missing) },
      { refusal: 'throw' },
    )
    await expect(secretFetch(origin, { headers })).rejects.toBe(missing)
  })

  it('sends the request when aroundUse has resolved, and tells it that the use was refused', async () => {
    const seen: string[] = []
    const secrets: SecretSource = {
      find: async () => found,
      async aroundUse(_reference, target, next) {
        await next().catch((error: unknown) => {
          seen.push('refused')
          throw error
        })
        seen.push(`used at ${target.origin}`)
      },
    }
    const fetch = async () => {
      seen.push('sent')
      return new Response()
    }
    await createSecretFetch(secrets, { fetch })(origin, { headers })
    const refusing = createSecretFetch(secrets, { fetch, allow: () => false, refusal: 'throw' })
    await expect(refusing(origin, { headers })).rejects.toBeInstanceOf(SecretUseError)
    expect(seen).toEqual([`used at ${origin}`, 'sent', 'refused'])
  })
})
