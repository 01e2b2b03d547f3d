import { createHmac } from 'node:crypto'
import {
  type Caller,
  createCaller,
  createVaultService,
  NotFoundError,
  RuleError,
  SecretUseError,
} from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createTestClock } from 'cofferkit/testing'
import {
  type HmacScheme,
  type ReceivedWebhook,
  type SecretSource,
  vaultSecrets,
  verifySignature,
} from 'cofferkit/use'
import { describe, expect, it, vi } from 'vitest'
import { createRecordedCalls } from '../support/service/recorded-calls.js'

const secret = 'whsec_correct_horse_battery'
const standardSecret = `whsec_${btoa('correct horse battery st')}`
const payload = '{"type":"charge.succeeded","name":"Wendy ☕ \u{1f434}"}'
const seconds = 1_780_000_000
const now = () => new Date(seconds * 1000)

const mac = (key: string | Uint8Array, message: string, hash = 'sha256') =>
  createHmac(hash, key).update(message)
const hex = (key: string, message: string) => mac(key, message).digest('hex')
const githubSignature = (key: string, body: string) => `sha256=${hex(key, body)}`

/** A source that has these secrets by the names of their fields. */
function sourceOf(fields: Readonly<Record<string, string>>): SecretSource {
  return {
    find: vi.fn<SecretSource['find']>(async ({ field }) => {
      const value = fields[field]
      if (value === undefined) throw new NotFoundError('field', field)
      return { value, origins: [] }
    }),
  }
}

const reference = 'op://keys/7/secret'
const verify = (webhook: ReceivedWebhook, value = secret) =>
  verifySignature(sourceOf({ secret: value }), reference, webhook)

/** A webhook of each scheme, signed with a secret. */
const schemes: Readonly<
  Record<string, { readonly secret: string; readonly webhook: ReceivedWebhook }>
> = {
  stripe: {
    secret,
    webhook: {
      ...{ scheme: 'stripe', payload, now },
      signature: `t=${seconds},v1=${hex(secret, `${seconds}.${payload}`)}`,
    },
  },
  slack: {
    secret,
    webhook: {
      ...{ scheme: 'slack', payload, now, timestamp: String(seconds) },
      signature: `v0=${hex(secret, `v0:${seconds}:${payload}`)}`,
    },
  },
  github: {
    secret,
    webhook: { scheme: 'github', payload, signature: githubSignature(secret, payload) },
  },
  'standard-webhooks': {
    secret: standardSecret,
    webhook: {
      ...{ scheme: 'standard-webhooks', payload, now, id: 'msg_1', timestamp: String(seconds) },
      signature: `v1,${mac('correct horse battery st', `msg_1.${seconds}.${payload}`).digest('base64')}`,
    },
  },
  hmac: {
    secret,
    webhook: { scheme: {}, payload, signature: hex(secret, payload) },
  },
}

describe.each(Object.entries(schemes))('verifySignature of %s', (_name, { secret, webhook }) => {
  it('is true for the signature of the secret, over text and bytes', async () => {
    const bytes = new TextEncoder().encode(payload)
    for (const body of [payload, bytes, bytes.buffer, Buffer.from(payload)])
      expect(await verify({ ...webhook, payload: body }, secret)).toBe(true)
    expect(await verify({ ...webhook, signature: [String(webhook.signature)] }, secret)).toBe(true)
  })

  it('is false for another secret', async () => {
    const other = secret === standardSecret ? `whsec_${btoa('another horse')}` : 'another'
    expect(await verify(webhook, other)).toBe(false)
  })

  it('is false for another payload, by one bit of its bytes', async () => {
    const bytes = new TextEncoder().encode(payload)
    bytes[bytes.length - 1] = Number(bytes.at(-1)) ^ 1
    expect(await verify({ ...webhook, payload: bytes }, secret)).toBe(false)
    expect(await verify({ ...webhook, payload: '' }, secret)).toBe(false)
    expect(await verify({ ...webhook, payload: `${payload}\n` }, secret)).toBe(false)
  })

  it('is false for headers that are not valid, and reads no secret', async () => {
    const { signature } = webhook
    const text = String(signature)
    const headers = [
      ...[undefined, null, '', [], [text, text], `${text}, ${text}`, `${text},${text}`],
      ...[text.slice(0, -1), `${text}0`, text.replace(/.$/, 'z-'), text.slice(text.length / 2)],
      ...['x'.repeat(8193), `${text},${'x'.repeat(8193)}`, text.slice(1), `é${text}`],
    ]
    for (const header of headers) {
      const source = sourceOf({ secret })
      const isGenuine = await verifySignature(source, reference, { ...webhook, signature: header })
      expect([header, isGenuine]).toEqual([header, false])
      expect(source.find).not.toHaveBeenCalled()
    }
  })

  it('rejects with SecretUseError for an empty secret, with which everybody could sign', async () => {
    await expect(verify(webhook, '')).rejects.toEqual(
      new SecretUseError('the secret is empty', 'TOO_SHORT'),
    )
  })
})

describe.each(['stripe', 'slack', 'standard-webhooks'])(
  'verifySignature of %s, at a time',
  (name) => {
    const { secret, webhook } = schemes[name] as (typeof schemes)[string]
    const at = (offset: number, toleranceSeconds?: number) =>
      verify(
        {
          ...{ ...webhook, toleranceSeconds, now: () => new Date((seconds + offset) * 1000) },
        } as ReceivedWebhook,
        secret,
      )

    it('is false for a time that differs by more than the tolerance, in the past and future', async () => {
      expect(await Promise.all([-301, -300, 0, 300, 300.5].map((offset) => at(offset)))).toEqual([
        ...[false, true, true, true, false],
      ])
      expect(await at(31, 30)).toBe(false)
      expect(await at(-30, 30)).toBe(true)
      expect(await at(1e9, Number.POSITIVE_INFINITY)).toBe(true)
    })

    it('uses the clock of the system by default', async () => {
      expect(await verify({ ...webhook, now: undefined } as ReceivedWebhook, secret)).toBe(false)
    })

    it.each(['', '-1', '1e9', ' 1780000000', '1780000000.0', '0x6a18', 'NaN', '9'.repeat(13)])(
      'is false for the time %o',
      async (time) => {
        const signature = String(webhook.signature).replace(`t=${seconds}`, `t=${time}`)
        const changed = name === 'stripe' ? { signature } : { timestamp: time }
        const toleranceSeconds = Number.POSITIVE_INFINITY
        const given = { ...webhook, ...changed, toleranceSeconds } as ReceivedWebhook
        expect(await verify(given, secret)).toBe(false)
      },
    )
  },
)

describe('verifySignature of stripe', () => {
  const good = hex(secret, `${seconds}.${payload}`)
  const bad = hex('another', `${seconds}.${payload}`)
  const stripe = (signature: string) => verify({ scheme: 'stripe', payload, now, signature })

  it.each([
    `t=${seconds},v1=${bad},v1=${good}`,
    `t=${seconds},v1=${good},v0=${bad}`,
    `v1=zz,v1=,v1=${good.slice(2)},v1=${good},t=${seconds}`,
    `t=${seconds}, v1=${good}`,
  ])('is true for %s', async (signature) => {
    expect(await stripe(signature)).toBe(true)
  })

  it.each([
    `t=${seconds},v0=${good}`,
    `t=${seconds},v1=${bad},v1=${bad}`,
    `t=${seconds},t=${seconds},v1=${good}`,
    `t=${seconds},v1=${good}, t=${seconds},v1=${good}`,
    `t=${seconds},v1==${good}`,
    `T=${seconds},V1=${good}`,
    `v1=${good}`,
  ])('is false for %s', async (signature) => {
    expect(await stripe(signature)).toBe(false)
  })
})

describe('verifySignature of standard-webhooks', () => {
  const { webhook } = schemes['standard-webhooks'] as (typeof schemes)[string]
  const standard = (changes: object) =>
    verify({ ...webhook, ...changes } as ReceivedWebhook, standardSecret)

  it('finds its version among several signatures', async () => {
    const { signature } = webhook
    expect(await standard({ signature: `v1a,Zm9v v1,Zm9v ${signature}` })).toBe(true)
    expect(await standard({ signature: `v2${String(signature).slice(2)}` })).toBe(false)
  })

  it('is false without an id, or with one that could be another id and time', async () => {
    const body = `${seconds}.${payload}`
    const shifted = { payload, id: `msg_1.${seconds}`, timestamp: String(seconds) }
    const signature = `v1,${mac('correct horse battery st', `msg_1.${seconds}.${body}`).digest('base64')}`
    expect(await standard({ payload: body, signature })).toBe(true)
    expect(await standard({ ...shifted, signature })).toBe(false)
    for (const id of [undefined, null, '', ['msg_1', 'msg_1']])
      expect(await standard({ id })).toBe(false)
  })

  it('takes a secret without its prefix, and none that is not base64', async () => {
    expect(await verify(webhook, standardSecret.replace('whsec_', ''))).toBe(true)
    await expect(verify(webhook, secret)).rejects.toEqual(
      new SecretUseError('the secret is not encoded as its scheme demands', 'CHARACTERS'),
    )
    await expect(verify(webhook, 'whsec_')).rejects.toMatchObject({ reason: 'TOO_SHORT' })
  })
})

describe('verifySignature of an HMAC scheme', () => {
  it.each<[HmacScheme, string, Uint8Array | string]>([
    [{ hash: 'SHA-1' }, mac(secret, payload, 'sha1').digest('hex'), secret],
    [{ hash: 'SHA-384' }, mac(secret, payload, 'sha384').digest('hex').toUpperCase(), secret],
    [
      { hash: 'SHA-512', encoding: 'base64', prefix: 'HMAC ' },
      `HMAC ${mac(secret, payload, 'sha512').digest('base64')}`,
      secret,
    ],
    [{ encoding: 'base64url' }, mac(secret, payload).digest('base64url'), secret],
    [{ secret: 'hex' }, mac(Buffer.from('c0ffee', 'hex'), payload).digest('hex'), 'C0ffee'],
    [{ secret: 'base64' }, mac('horse!', payload).digest('hex'), btoa('horse!')],
  ])('verifies %o', async (scheme, signature, value) => {
    expect(await verify({ scheme, payload, signature }, String(value))).toBe(true)
    expect(await verify({ scheme, payload: '', signature }, String(value))).toBe(false)
  })

  it('is false for the same signature in another encoding, or without its prefix', async () => {
    const signature = hex(secret, payload)
    for (const scheme of [{ encoding: 'base64' }, { prefix: 'x=' }, { hash: 'SHA-1' }] as const)
      expect(await verify({ scheme, payload, signature })).toBe(false)
  })

  it.each(['c0f', 'xyz!', 'c0 ff'])(
    'rejects the secret %s that is not hexadecimal',
    async (value) => {
      const signature = hex(secret, payload)
      await expect(
        verify({ scheme: { secret: 'hex' }, payload, signature }, value),
      ).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED', reason: 'CHARACTERS' })
    },
  )

  it('verifies an empty payload', async () => {
    const webhook = { payload: '', signature: hex(secret, '') }
    expect(await verify({ scheme: {}, ...webhook })).toBe(true)
    expect(await verify({ scheme: {}, ...webhook, payload: new Uint8Array() })).toBe(true)
  })
})

describe('verifySignature with several secrets', () => {
  const references = ['op://keys/7/secret', 'op://keys/7/previous', 'op://keys/7/third']
  const webhookOf = (key: string): ReceivedWebhook => ({
    ...{ scheme: 'github', payload, signature: githubSignature(key, payload) },
  })

  it('tries them in order until one matches', async () => {
    const source = sourceOf({ secret: 'new', previous: 'old', third: 'oldest' })
    const fieldsOf = async (key: string) => {
      vi.mocked(source.find).mockClear()
      const isGenuine = await verifySignature(source, references, webhookOf(key))
      return [isGenuine, vi.mocked(source.find).mock.calls.map(([{ field }]) => field)]
    }
    expect(await fieldsOf('new')).toEqual([true, ['secret']])
    expect(await fieldsOf('old')).toEqual([true, ['secret', 'previous']])
    expect(await fieldsOf('unknown')).toEqual([false, ['secret', 'previous', 'third']])
  })

  it('skips those after the first that do not exist or are empty', async () => {
    const missing = sourceOf({ secret: 'new', third: 'oldest' })
    expect(await verifySignature(missing, references, webhookOf('oldest'))).toBe(true)
    const empty = sourceOf({ secret: 'new', previous: '', third: 'oldest' })
    expect(await verifySignature(empty, references, webhookOf('oldest'))).toBe(true)
    expect(await verifySignature(empty, references, webhookOf('other'))).toBe(false)
  })

  it('rejects if the first does not exist or is empty, or another is refused', async () => {
    const missing = verifySignature(sourceOf({ previous: 'old' }), references, webhookOf('old'))
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND', resource: 'field' })
    const empty = sourceOf({ secret: '', previous: 'old' })
    await expect(verifySignature(empty, references, webhookOf('old'))).rejects.toMatchObject({
      ...{ code: 'SECRET_USE_REFUSED', reason: 'TOO_SHORT' },
    })
    const refusing: SecretSource = {
      async find({ field }) {
        if (field !== 'secret') throw new SecretUseError('no')
        return { value: 'new', origins: [] }
      },
    }
    await expect(verifySignature(refusing, references, webhookOf('old'))).rejects.toEqual(
      new SecretUseError('no'),
    )
  })
})

describe('verifySignature with a source of the embedder', () => {
  const webhook: ReceivedWebhook = {
    ...{ scheme: 'github', payload, signature: githubSignature(secret, payload) },
  }
  const found = { value: secret, origins: [] }

  it('tells the source what the value is for', async () => {
    const source = sourceOf({ secret })
    await verifySignature(source, reference, webhook)
    expect(source.find).toHaveBeenCalledWith(
      { vault: 'keys', item: '7', field: 'secret' },
      { place: 'verify:github' },
    )
  })

  it('asks aroundUse, which can refuse', async () => {
    const places: string[] = []
    const aroundUse: SecretSource['aroundUse'] = async (_reference, { place }, next) => {
      places.push(place)
      await next()
    }
    const find = async () => found
    expect(await verifySignature({ find, aroundUse }, reference, webhook)).toBe(true)
    expect(places).toEqual(['verify:github'])
    const refuse = () => Promise.reject(new SecretUseError('no'))
    const refused = verifySignature({ find, aroundUse: refuse }, reference, webhook)
    await expect(refused).rejects.toEqual(new SecretUseError('no'))
  })

  it.each<[string, SecretSource]>([
    ['secrets.find failed', { find: () => Promise.reject(new Error(secret)) }],
    [
      'secrets.find must resolve with an object with value and origins',
      { find: async () => ({ value: 7, origins: [] }) as never },
    ],
    [
      'secrets.find must resolve with an object with origins',
      { find: async () => ({ value: secret }) as never },
    ],
    [
      'timeLeft of a secret must return a number of more than 0, or throw',
      { find: async () => ({ ...found, timeLeft: () => 0 }) },
    ],
    ['secrets.aroundUse must call next', { find: async () => found, aroundUse: async () => {} }],
  ])('rejects with RuleError: %s', async (message, source) => {
    await expect(verifySignature(source, reference, webhook)).rejects.toEqual(
      new RuleError(message),
    )
  })

  it.each(['secret', 'op://keys/7', '{{ op://keys/7/secret }}', ''])(
    'rejects the reference %o with InvalidInputError',
    async (text) => {
      const source = sourceOf({ secret })
      for (const given of [text, [reference, text]])
        await expect(verifySignature(source, given, webhook)).rejects.toMatchObject({
          ...{ code: 'INVALID_INPUT', status: 400 },
        })
      expect(source.find).not.toHaveBeenCalled()
    },
  )
})

describe('verifySignature with vaultSecrets', () => {
  const webhook: ReceivedWebhook = {
    ...{ scheme: 'github', payload, signature: githubSignature(secret, payload) },
  }

  /** An item without URLs, and the entries of its uses. */
  async function setUp() {
    const clock = createTestClock()
    const { activity, entriesOf } = createRecordedCalls()
    const store = createMemoryStore()
    const service = createVaultService({ store, activity, now: clock })
    const owner = createCaller('owner', '*')
    const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
    const { id: itemId } = await service.createItem(owner, {
      vaultId,
      item: {
        category: 'API_CREDENTIAL',
        title: 'GitHub',
        fields: [
          { id: 'webhook', type: 'CONCEALED', value: secret },
          { id: 'previous', type: 'CONCEALED', value: 'replaced' },
        ],
      },
    })
    const byIds = `op://${vaultId}/${itemId}/webhook`
    const verifyAs = (caller: Caller, given: string | readonly string[] = byIds, one = webhook) =>
      verifySignature(vaultSecrets(service, caller), given, one)
    return { clock, store, service, owner, vaultId, itemId, byIds, verifyAs, entriesOf }
  }

  const useEntry = (changes: object) => ({
    ...{ operation: 'useField', action: 'READ', caller: 'agent', result: 'SUCCESS' },
    use: { place: 'verify:github', field: 'webhook' },
    ...changes,
  })

  it('records each secret that is used, and none for a webhook that cannot be valid', async () => {
    const { vaultId, itemId, byIds, verifyAs, entriesOf } = await setUp()
    const agent = createCaller('agent', { [vaultId]: 'read' })
    expect(await entriesOf(() => verifyAs(agent))).toEqual([useEntry({})])
    const both = [byIds, `op://${vaultId}/${itemId}/previous`]
    const forged = { ...webhook, payload: 'forged' }
    expect(await entriesOf(() => verifyAs(agent, both, forged))).toEqual([
      useEntry({}),
      useEntry({ use: { place: 'verify:github', field: 'previous' } }),
    ])
    const unsigned = { ...webhook, signature: null }
    expect(await entriesOf(() => verifyAs(agent, both, unsigned))).toEqual([])
  })

  it('finds the item by names, in any vault that the caller can list', async () => {
    const { owner, verifyAs } = await setUp()
    expect(await verifyAs(owner, 'op://Acme/GitHub/webhook')).toBe(true)
    await expect(verifyAs(owner, 'op://Acme/GitLab/webhook')).rejects.toMatchObject({
      ...{ code: 'NOT_FOUND', resource: 'item' },
    })
  })

  it('takes the reference of a credential', async () => {
    const { service, owner, vaultId, verifyAs } = await setUp()
    const kinds = { github: { fields: { key: { secret: true }, webhook: { secret: true } } } }
    const credentials = createCredentials(service, kinds).of(owner, vaultId)
    await credentials.save('github', { key: 'ghp_1', webhook: secret })
    const agent = createCaller('agent', { [vaultId]: 'read' })
    expect(await verifyAs(agent, await credentials.reference('github', 'webhook'))).toBe(true)
    expect(await verifyAs(agent, await credentials.reference('github', 'key'))).toBe(false)
  })

  it('rejects a caller without the permission, and one who has expired', async () => {
    const { clock, vaultId, verifyAs, entriesOf } = await setUp()
    const stranger = createCaller('agent', { [vaultId]: 'write' })
    await expect(verifyAs(stranger)).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
    const denied = await entriesOf(() => verifyAs(stranger))
    expect(denied).toEqual([useEntry({ result: 'DENY', code: 'FORBIDDEN' })])
    const until = new Date(clock().getTime() + 1000)
    const agent = createCaller('agent', { [vaultId]: 'read' }, { until })
    expect(await verifyAs(agent)).toBe(true)
    clock.advance(1000)
    await expect(verifyAs(agent)).rejects.toMatchObject({
      ...{ code: 'UNAUTHORIZED', message: 'the caller has expired' },
    })
  })

  it('rejects a caller who expires while the secret is used', async () => {
    const { clock, service, vaultId, byIds } = await setUp()
    const until = new Date(clock().getTime() + 1000)
    const agent = createCaller('agent', { [vaultId]: 'read' }, { until })
    const { find, aroundUse } = vaultSecrets(service, agent)
    const late: SecretSource = {
      find,
      aroundUse: (one, target, next) =>
        aroundUse?.(one, target, (findOne = find) =>
          next(async (...given) => {
            const found = await findOne(...given)
            clock.advance(1000)
            return found
          }),
        ) ?? Promise.reject(new Error('no aroundUse')),
    }
    await expect(verifySignature(late, byIds, webhook)).rejects.toMatchObject({
      ...{ code: 'UNAUTHORIZED', message: 'the caller has expired' },
    })
  })

  it('allows a caller with the permission use what an entry without origin and method allows', async () => {
    const { vaultId, itemId, verifyAs } = await setUp()
    const agentWith = (use: object) =>
      createCaller('agent', { [vaultId]: 'use' }, { use: [{ items: [itemId], ...use }] })
    expect(await verifyAs(agentWith({ places: ['verify:github'] }))).toBe(true)
    expect(await verifyAs(agentWith({}))).toBe(true)
    for (const use of [
      { places: ['verify:stripe'] },
      { places: ['header:authorization'] },
      { origins: ['https://api.github.com'] },
      { methods: ['POST'] },
      { items: [] },
    ])
      await expect(verifyAs(agentWith(use))).rejects.toMatchObject({
        ...{ code: 'SECRET_USE_REFUSED', reason: 'CALLER' },
      })
  })

  it('refuses tokens of a keeper, and attributes', async () => {
    const { store, service, owner, vaultId, byIds } = await setUp()
    const grants = vaultGrants(service, { caller: owner })
    const refresh = async () => expect.unreachable('a token was refreshed')
    const tokens = createTokenKeeper({ grants, leases: store.records, refresh })
    const issued = { accessToken: 'a1', refreshToken: 'r1', expiresInSeconds: 0 }
    const ref = await grants.save(vaultId, { name: 'mail', ...issued })
    const secrets = vaultSecrets(service, owner, { tokens })
    const grant = `op://${ref.vaultId}/${ref.itemId}`
    for (const [given, reason] of [
      [`${grant}/refresh_token`, 'REFRESH_TOKEN'],
      [`${grant}/credential?attribute=access_token`, 'ATTRIBUTE'],
      [`${byIds}?attribute=otp`, 'ATTRIBUTE'],
    ] as const)
      await expect(verifySignature(secrets, given, webhook)).rejects.toMatchObject({
        ...{ code: 'SECRET_USE_REFUSED', reason },
      })
  })

  it('has no value in any error', async () => {
    const { verifyAs, owner, byIds } = await setUp()
    const errors = await Promise.all(
      [
        verifyAs(owner, byIds, { ...webhook, scheme: { secret: 'hex', prefix: 'sha256=' } }),
        verifyAs(owner, `${byIds}?attribute=otp`),
      ].map((call) => call.catch((error: unknown) => error)),
    )
    for (const error of errors) {
      expect(error).toBeInstanceOf(SecretUseError)
      expect(`${JSON.stringify(error)}${String(error)}${Object(error).stack}`).not.toContain(secret)
    }
  })
})
