import { describe, expect, it } from 'vitest'
import { createReferenceResolver, type ReferenceResolver } from '../../src/references.js'
import { createTestVault } from '../../src/testing.js'
import { invalid } from '../support/service/rejections.js'

describe('createReferenceResolver: resolveEnv', () => {
  it('replaces the values that begin with op://, and keeps the others', async () => {
    const { resolveEnv } = await createResolver()
    const env = {
      PIN: 'op://Test/Example/pin',
      LABEL: 'OP://Test/Example/pin?attribute=title',
      PORT: '80',
      INNER: 'see op://Test/Example/pin',
      TAG: '{{ op://Test/Example/pin }}',
      EMPTY: '',
      UNSET: undefined,
    }
    const before = { ...env }
    const resolved = await resolveEnv(env)
    expect(resolved).toStrictEqual({ ...env, PIN: '1234', LABEL: 'PIN' })
    expect(Object.keys(resolved)).toEqual(Object.keys(env))
    expect(env).toStrictEqual(before)
    const pin: string = resolved.PIN
    const unset: string | undefined = resolved.UNSET
    expect([pin, unset]).toEqual(['1234', undefined])
  })

  it('does not change process.env', async () => {
    const { resolveEnv } = await createResolver()
    const before = JSON.stringify(process.env)
    process.env['COFFERKIT_TEST_PIN'] = 'op://Test/Example/pin'
    try {
      const { COFFERKIT_TEST_PIN, ...rest } = await resolveEnv(process.env)
      expect(COFFERKIT_TEST_PIN).toBe('1234')
      expect(JSON.stringify(rest)).toBe(before)
      expect(process.env['COFFERKIT_TEST_PIN']).toBe('op://Test/Example/pin')
    } finally {
      delete process.env['COFFERKIT_TEST_PIN']
    }
  })

  it('returns a frozen or an empty object as a new one', async () => {
    const { resolveEnv } = await createResolver()
    const env = Object.freeze({ A: 'a' })
    const resolved = await resolveEnv(env)
    expect(resolved).toStrictEqual({ A: 'a' })
    expect(resolved).not.toBe(env)
    expect(await resolveEnv({})).toStrictEqual({})
  })

  it('treats __proto__ and constructor as names', async () => {
    const { resolveEnv } = await createResolver()
    const text = '{ "__proto__": "op://Test/Example/pin", "constructor": "op://Test/Example/pin" }'
    const resolved = await resolveEnv(JSON.parse(text))
    expect(JSON.stringify(resolved)).toBe('{"__proto__":"1234","constructor":"1234"}')
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype)
  })

  it('keeps values that are not strings', async () => {
    const { resolveEnv } = await createResolver()
    const env = { NUMBER: 7, NULL: null, LIST: ['op://Test/Example/pin'] } as never
    expect(await resolveEnv(env)).toStrictEqual(env)
  })

  it('names every variable with an invalid reference, without its value', async () => {
    const { resolveEnv } = await createResolver()
    const env = { A: 'op://secret', B: 'op://Test/Example/pin', C: 'op://a/b/c%20secret' }
    const error = await resolveEnv(env).catch((reason) => reason)
    expect(error).toMatchObject(invalid())
    expect(error.issues.map(({ path }: { path: string }) => path)).toEqual(['env/A', 'env/C'])
    expect(error.message).not.toContain('secret')
  })

  it('accepts 1,000 references among any number of variables, and no more', async () => {
    const { resolveEnv } = await createResolver()
    const createEnv = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`V${count}_${index}`, value]))
    const env = { ...createEnv(5000, 'plain'), ...createEnv(1000, 'op://Test/Example/pin') }
    expect(Object.keys(await resolveEnv(env))).toHaveLength(6000)
    const tooMany = resolveEnv({ ...env, MORE: 'op://Test/Example/pin' })
    await expect(tooMany).rejects.toMatchObject(invalid('env must have at most 1000 references'))
  })

  it.each([undefined, null, 'op://Test/Example/pin', 7])('rejects %j', async (env) => {
    const { resolveEnv } = await createResolver()
    await expect(resolveEnv(env as never)).rejects.toMatchObject(invalid('env must be an object'))
  })
})

async function createResolver(): Promise<ReferenceResolver> {
  const { service, caller } = await createTestVault()
  return createReferenceResolver(service, caller)
}
