import { createSecretFetch, type FilledInit, type SecretSource } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { notFoundError } from '../../src/base/fixed-errors.js'
import { RuleError, SecretUseError } from '../../src/index.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.example.com'
const value = 'sk_live_correct_horse'
const headers = { authorization: 'Bearer {{ op://keys/7/token }}' }
const found = { value, origins: [`${origin}/v1`] }
const echo = async (_url: string, { headers: sent }: FilledInit) =>
  new Response(sent['authorization'])
const unsent = async (): Promise<Response> => expect.unreachable('the request was sent')

describe('createSecretFetch over a source of the embedder', () => {
  it('passes the reference and the request to the source, and masks the value', async () => {
    const calls: unknown[] = []
    const source: SecretSource = (reference, target, next) => {
      calls.push([reference, target])
      return next(async () => found)
    }
    const response = await createSecretFetch(source, { fetch: echo })(origin, { headers })
    expect(await response.text()).toBe('Bearer [secret]')
    const target = { origin, method: 'GET', place: 'header:authorization' }
    expect(calls).toEqual([[{ vault: 'keys', item: '7', field: 'token' }, target]])
  })

  it.each([[[]], [['https://evil.example']], [['no URL']]])(
    'compares the origins: %o',
    async (origins) => {
      const secretFetch = createSecretFetch(
        sourceOf(async () => ({ value, origins })),
        { fetch: unsent, refusal: 'throw' },
      )
      await expect(secretFetch(origin, { headers })).rejects.toEqual(
        new SecretUseError(
          `the item has no URL of this origin: op://keys/7/token in header:authorization, for ${origin}`,
          { reason: 'ORIGIN' },
        ),
      )
    },
  )

  it.each<[string, SecretSource]>([
    ['secrets failed', sourceOf(() => Promise.reject(new Error(value)))],
    [
      'secrets must read an object with value and origins',
      sourceOf(async () => undefined as never),
    ],
    [
      'secrets must read an object with value and origins',
      sourceOf(async () => ({ values: { token: value }, origins: [origin] })),
    ],
    ['secrets failed', () => Promise.reject(new Error(value))],
    ['secrets must call next', async () => {}],
    [
      'secrets must call next with a function that reads the secret',
      (_reference, _target, next) => Reflect.apply(next, undefined, [found]),
    ],
  ])('rejects with RuleError and no text of the source: %s', async (message, source) => {
    const secretFetch = createSecretFetch(source, { fetch: unsent, refusal: 'throw' })
    await expect(secretFetch(origin, { headers })).rejects.toEqual(new RuleError(message))
  })

  it('passes on an error of the library', async () => {
    const missing = notFoundError('item', '7')
    const reject = () => Promise.reject(missing)
    for (const source of [reject, sourceOf(reject)]) {
      const secretFetch = createSecretFetch(source, { refusal: 'throw' })
      await expect(secretFetch(origin, { headers })).rejects.toBe(missing)
    }
  })

  it('asks allow, reads once, and sends the request when the source has settled', async () => {
    const seen: string[] = []
    const source: SecretSource = async (_reference, target, next) => {
      const read = async () => {
        seen.push('read')
        return found
      }
      await Promise.all([next(read), next(read)])
      seen.push(`used at ${target.origin}`)
    }
    const fetch = async () => {
      seen.push('sent')
      return new Response()
    }
    const allow = () => seen.push('asked') > 0
    await createSecretFetch(source, { fetch, allow })(origin, { headers })
    expect(seen).toEqual(['asked', 'read', `used at ${origin}`, 'sent'])
  })

  it.each<[string, (refused: Promise<void>) => Promise<void>]>([
    ['throws that again', (refused) => refused],
    ['keeps it to itself', (refused) => refused.catch(() => {})],
    ['does not wait', async () => {}],
  ])('reads and sends nothing that allow refuses, if the source %s', async (_, settle) => {
    const read = async () => expect.unreachable('the value was read')
    const source: SecretSource = (_reference, _target, next) => settle(next(read))
    const options = { fetch: unsent, allow: () => false, refusal: 'throw' } as const
    const secretFetch = createSecretFetch(source, options)
    await expect(secretFetch(origin, { headers })).rejects.toMatchObject({ reason: 'NOT_ALLOWED' })
  })
})
