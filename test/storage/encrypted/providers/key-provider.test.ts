import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import { wrapProviderErrors } from '../../../../src/storage/encrypted/providers/key-provider.js'
import {
  createAwsKeyProvider,
  createAzureKeyProvider,
  createEncryptedStore,
  createGoogleKeyProvider,
  createLocalKeyProvider,
  createTransitKeyProvider,
  encodeKeyContext,
  type KeyContext,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { createLocalAwsKms } from '../../../support/auth/kms-aws.js'
import { createLocalAzureClient } from '../../../support/auth/kms-azure.js'
import { createLocalGoogleKms } from '../../../support/auth/kms-google.js'
import { startLocalTransit } from '../../../support/auth/kms-transit.js'
import { utf8 } from '../../../support/bytes.js'
import { kekIdByHand } from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const googleKey = 'projects/p/locations/global/keyRings/r/cryptoKeys/k'
const azureKey = 'https://v.vault.azure.net/keys/k/0123456789abcdef0123456789abcdef'
const context: KeyContext = { purpose: 'cofferkit key ring', scope: 'v1' }
const material = new Uint8Array(randomBytes(32))

async function transit(options: Parameters<typeof startLocalTransit>[2] = {}) {
  const engine = await startLocalTransit('cofferkit', 'hvs.token', options)
  onTestFinished(() => engine.close())
  const token = async (): Promise<string> => 'hvs.token'
  const { mount } = options
  const provider = createTransitKeyProvider({
    address: engine.address,
    keyId: 'cofferkit',
    token,
    ...(mount !== undefined && { mount }),
  })
  return { engine, provider }
}

const providers: readonly [string, () => Promise<KeyProvider>][] = [
  ['localKeyProvider', async () => createLocalKeyProvider({ key: randomBytes(32) })],
  ['awsKeyProvider', async () => createAwsKeyProvider(createLocalAwsKms(arn), { keyId: arn })],
  [
    'googleKeyProvider',
    async () => createGoogleKeyProvider(createLocalGoogleKms(googleKey), { keyId: googleKey }),
  ],
  [
    'createGoogleKeyProvider over REST',
    async () =>
      createGoogleKeyProvider(createLocalGoogleKms(googleKey, true), { keyId: googleKey }),
  ],
  [
    'createAzureKeyProvider',
    async () => createAzureKeyProvider(createLocalAzureClient, { keyId: azureKey }),
  ],
  ['transitKeyProvider', async () => (await transit()).provider],
  [
    'createTransitKeyProvider with an older Vault',
    async () => (await transit({ rejectionStatus: 500 })).provider,
  ],
]

describe.each(providers)('%s', (_, createProvider) => {
  it('unwraps for the same context what it has wrapped', async () => {
    const provider = await createProvider()
    const wrapped = await provider.wrap(material, context)
    expect(Buffer.from(wrapped).includes(Buffer.from(material.subarray(0, 16)))).toBe(false)
    const unwrapped = await provider.unwrap(provider.currentKekId, wrapped, { ...context })
    expect(new Uint8Array(unwrapped)).toEqual(material)
    expect(await provider.wrap(material, context)).not.toEqual(wrapped)
  })

  it.each<[string, KeyContext]>([
    ['another scope', { ...context, scope: 'v2' }],
    ['another purpose', { ...context, purpose: 'cofferkit seal ring' }],
    ['a scope that begins like this one', { ...context, scope: 'v11' }],
  ])('rejects with a DecryptionError for %s', async (_name, other) => {
    const provider = await createProvider()
    const wrapped = await provider.wrap(material, context)
    const unwrapping = wrapProviderErrors('to unwrap', () =>
      provider.unwrap(provider.currentKekId, wrapped, other),
    )
    await expect(unwrapping).rejects.toThrow(DecryptionError)
  })

  it('rejects with a DecryptionError for bytes that were changed, cut or never wrapped', async () => {
    const provider = await createProvider()
    const wrapped = await provider.wrap(material, context)
    const changed = wrapped.slice()
    changed[changed.length - 6] = (changed.at(-6) ?? 0) ^ 1
    for (const bytes of [changed, wrapped.subarray(0, 50), utf8('vault'), new Uint8Array(0)]) {
      const unwrapping = wrapProviderErrors('to unwrap', () =>
        provider.unwrap(provider.currentKekId, bytes, context),
      )
      await expect(unwrapping).rejects.toThrow(DecryptionError)
    }
  })

  it('rejects with a DecryptionError for the name of another key, and lists the current one', async () => {
    const provider = await createProvider()
    const wrapped = await provider.wrap(material, context)
    expect(provider.kekIds).toEqual([provider.currentKekId])
    for (const kekId of ['', 'other', '__proto__', `${provider.currentKekId}/`, '../../sys/seal']) {
      const unwrapping = provider.unwrap(kekId, wrapped, context)
      await expect(unwrapping).rejects.toThrow(DecryptionError)
    }
  })

  it('works in an encrypted store', async () => {
    const provider = await createProvider()
    const inner = createMemoryStore()
    const key = { collection: 'items/v1', id: 'a' }
    await createEncryptedStore(inner, { keys: provider }).records.put(key, { body: utf8('x') }, 0)
    const again = createEncryptedStore(inner, { keys: provider })
    expect((await again.records.get(key))?.body).toEqual(utf8('x'))
    await again.rotateDataKeys()
    await again.reencrypt()
    expect((await again.records.get(key))?.body).toEqual(utf8('x'))
  })
})

describe('createLocalKeyProvider', () => {
  it('unwraps its vector', async () => {
    for (const { kek, kekId, scope, wrapped, secret } of vectors.wrappedSecrets) {
      const provider = createLocalKeyProvider({ key: Buffer.from(kek, 'hex') })
      expect([provider.currentKekId, kekIdByHand(Buffer.from(kek, 'hex'))]).toEqual([kekId, kekId])
      const given = { purpose: context.purpose, scope }
      const unwrapped = await provider.unwrap(kekId, Buffer.from(wrapped, 'hex'), given)
      expect(Buffer.from(unwrapped).toString('hex')).toBe(secret)
    }
  })

  it('names a key by its fingerprint, whatever its name is, and two keys differently', () => {
    const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const { currentKekId } = createLocalKeyProvider({ key: one })
    expect(currentKekId).toMatch(/^key-[\da-f]{8}$/)
    const both = createLocalKeyProvider({ keys: { first: two, second: one }, keyId: 'second' })
    expect(both.currentKekId).toBe(currentKekId)
    expect(both.kekIds).toEqual([createLocalKeyProvider({ key: two }).currentKekId, currentKekId])
    const twice = createLocalKeyProvider({ keys: { first: one, second: one }, keyId: 'first' })
    expect(twice.kekIds).toEqual([currentKekId])
  })

  it('unwraps with each of its keys, and wraps with the current one', async () => {
    const [old, now] = [randomBytes(32), randomBytes(32)]
    const before = createLocalKeyProvider({ key: old })
    const wrapped = await before.wrap(material, context)
    const provider = createLocalKeyProvider({ keys: { local: old, '2027': now }, keyId: '2027' })
    const { currentKekId } = createLocalKeyProvider({ key: now })
    expect(provider.currentKekId).toBe(currentKekId)
    const unwrapped = await provider.unwrap(before.currentKekId, wrapped, context)
    expect(new Uint8Array(unwrapped)).toEqual(material)
    await expect(provider.unwrap(currentKekId, wrapped, context)).rejects.toThrow(DecryptionError)
    await expect(provider.unwrap('local', wrapped, context)).rejects.toThrow(DecryptionError)
    await expect(provider.unwrap('__proto__', wrapped, context)).rejects.toThrow(DecryptionError)
  })

  it.each([
    ['a Uint8Array', (key: Uint8Array) => new Uint8Array(key)],
    ['a Buffer', (key: Uint8Array) => Buffer.from(key)],
  ])('copies the key, %s', async (_, bytesOf) => {
    const [kept, key] = [new Uint8Array(randomBytes(32)), new Uint8Array(randomBytes(32))]
    for (const [name, own] of [
      ['local', bytesOf(key)],
      ['2027', bytesOf(kept)],
    ] as const) {
      const provider = createLocalKeyProvider(
        name === 'local' ? { key: own } : { keys: { [name]: own }, keyId: name },
      )
      const before = new Uint8Array(own)
      own.fill(0)
      const wrapped = await provider.wrap(material, context)
      const other = createLocalKeyProvider({ keys: { [name]: before }, keyId: name })
      const unwrapped = await other.unwrap(other.currentKekId, wrapped, context)
      expect(new Uint8Array(unwrapped)).toEqual(material)
    }
  })

  it('throws a TypeError that names the option when a key is not a Uint8Array', () => {
    for (const key of [
      undefined,
      null,
      'k'.repeat(32),
      new Array(32).fill(1),
      new ArrayBuffer(32),
    ]) {
      const given = key as unknown as Uint8Array
      expect(() => createLocalKeyProvider({ key: given })).toThrow(
        new TypeError('options.key must be a Uint8Array of 32 bytes'),
      )
      expect(() => createLocalKeyProvider({ keys: { a: given }, keyId: 'a' })).toThrow(
        new TypeError('each of options.keys must be a Uint8Array of 32 bytes'),
      )
    }
  })

  it('throws a RangeError when a key has another length, or current is not in keys', () => {
    expect(() => createLocalKeyProvider({ key: randomBytes(31) })).toThrow(RangeError)
    expect(() => createLocalKeyProvider({ keys: { a: randomBytes(64) }, keyId: 'a' })).toThrow(
      RangeError,
    )
    expect(() => createLocalKeyProvider({ keys: { a: randomBytes(32) }, keyId: 'b' })).toThrow(
      RangeError,
    )
  })
})

describe('createAwsKeyProvider', () => {
  it('sends requests as specified by the API reference', async () => {
    const client = createLocalAwsKms(arn)
    const provider = createAwsKeyProvider(client, { keyId: arn })
    const wrapped = await provider.wrap(material, context)
    await provider.unwrap(arn, wrapped, context)
    const EncryptionContext = { purpose: 'cofferkit key ring', scope: 'v1' }
    expect(client.requests).toEqual([
      { KeyId: arn, Plaintext: material, EncryptionContext },
      { KeyId: arn, CiphertextBlob: wrapped, EncryptionContext },
    ])
  })

  it('unwraps with the key that wrapped, when another one is current', async () => {
    const client = createLocalAwsKms('alias/old', 'alias/new')
    const wrapped = await createAwsKeyProvider(client, { keyId: 'alias/old' }).wrap(
      material,
      context,
    )
    const provider = createAwsKeyProvider(client, {
      keyId: 'alias/new',
      formerKeyIds: ['alias/old'],
    })
    expect(provider.kekIds).toEqual(['alias/new', 'alias/old'])
    expect(await provider.unwrap('alias/old', wrapped, context)).toEqual(material)
    await expect(provider.unwrap('alias/new', wrapped, context)).rejects.toThrow(DecryptionError)
  })

  it('fails with 503, the name of the exception and none of its message, for other errors of KMS', async () => {
    const provider = createAwsKeyProvider(createLocalAwsKms(), { keyId: arn })
    const failure = wrapProviderErrors('to wrap', () => provider.wrap(material, context))
    await expect(failure).rejects.toMatchObject({
      status: 503,
      cause: { message: 'NotFoundException' },
    })
    const silent = createAwsKeyProvider(
      { encrypt: async () => ({}), decrypt: async () => ({}) },
      { keyId: arn },
    )
    await expect(
      wrapProviderErrors('to wrap', () => silent.wrap(material, context)),
    ).rejects.toMatchObject({
      status: 503,
    })
  })
})

describe('createGoogleKeyProvider', () => {
  it('unwraps with the key that wrapped, when another one is current', async () => {
    const client = createLocalGoogleKms(googleKey)
    const former = `${googleKey}/cryptoKeyVersions/1`
    const wrapped = await createGoogleKeyProvider(client, { keyId: former }).wrap(material, context)
    const provider = createGoogleKeyProvider(client, { keyId: googleKey, formerKeyIds: [former] })
    expect(provider.kekIds).toEqual([googleKey, former])
    expect(await provider.unwrap(former, wrapped, context)).toEqual(material)
  })

  it('unwraps when the key was rotated, and when a version of it is configured', async () => {
    const client = createLocalGoogleKms(googleKey)
    const provider = createGoogleKeyProvider(client, { keyId: `${googleKey}/cryptoKeyVersions/1` })
    const wrapped = await provider.wrap(material, context)
    client.rotate()
    expect(await provider.unwrap(provider.currentKekId, wrapped, context)).toEqual(material)
    expect(client.requests.map(({ name }) => name)).toEqual([
      `${googleKey}/cryptoKeyVersions/1`,
      googleKey,
    ])
  })

  it('fails with 503 for other errors of KMS, and for a response without bytes', async () => {
    const provider = createGoogleKeyProvider(createLocalGoogleKms('projects/other'), {
      keyId: googleKey,
    })
    const failure = wrapProviderErrors('to wrap', () => provider.wrap(material, context))
    await expect(failure).rejects.toMatchObject({ status: 503, cause: { message: 'Error' } })
    const silent = createGoogleKeyProvider(
      { encrypt: async () => [{}], decrypt: async () => [{}] },
      { keyId: googleKey },
    )
    await expect(
      wrapProviderErrors('to wrap', () => silent.wrap(material, context)),
    ).rejects.toMatchObject({
      status: 503,
    })
  })
})

describe('createAzureKeyProvider', () => {
  it('wraps the digest of the context with the key, because wrapKey has no additional data', async () => {
    const client = createLocalAzureClient(azureKey)
    const wrapped = await createAzureKeyProvider(() => client, { keyId: azureKey }).wrap(
      material,
      context,
    )
    const bytes = client.requests[0]?.bytes ?? new Uint8Array(0)
    const digest = createHash('sha256').update(encodeKeyContext(context)).digest()
    expect(Buffer.from(bytes)).toEqual(Buffer.concat([digest, material]))
    expect(wrapped.length).toBe(256)
  })

  it('rejects a key that was wrapped without the digest of a context', async () => {
    const client = createLocalAzureClient(azureKey)
    for (const bytes of [material, new Uint8Array(64), new Uint8Array(0)]) {
      const { result } = await client.wrapKey('RSA-OAEP-256', bytes)
      const unwrapping = createAzureKeyProvider(() => client, { keyId: azureKey }).unwrap(
        azureKey,
        result,
        context,
      )
      await expect(unwrapping).rejects.toThrow(DecryptionError)
    }
  })

  it('wraps with an AES key, and unwraps with a former RSA key', async () => {
    const [aes, rsa] = [`${azureKey}0`, azureKey]
    const former = createLocalAzureClient(rsa)
    const wrapped = await createAzureKeyProvider(() => former, { keyId: rsa }).wrap(
      material,
      context,
    )
    const asked: string[] = []
    const clientOf = (keyId: string) => {
      asked.push(keyId)
      return keyId === rsa ? former : createLocalAzureClient(keyId, 'A256KW')
    }
    const provider = createAzureKeyProvider(clientOf, {
      keyId: aes,
      formerKeyIds: [rsa],
      algorithmOf: (keyId) => (keyId === rsa ? 'RSA-OAEP-256' : 'A256KW'),
    })
    expect(asked).toEqual([aes, rsa])
    expect(provider.kekIds).toEqual([aes, rsa])
    expect(await provider.unwrap(rsa, wrapped, context)).toEqual(material)
    const now = await provider.wrap(material, context)
    expect(now.length).toBe(72)
    expect(await provider.unwrap(aes, now, context)).toEqual(material)
    const others: readonly KeyContext[] = [
      { ...context, scope: 'v2' },
      { ...context, purpose: 'cofferkit seal ring' },
    ]
    for (const other of others)
      await expect(provider.unwrap(aes, now, other)).rejects.toThrow(DecryptionError)
    await expect(provider.unwrap(aes, wrapped, context)).rejects.toThrow(DecryptionError)
  })

  it('fails with 503 when the key is denied', async () => {
    const client = createLocalAzureClient(azureKey)
    const provider = createAzureKeyProvider(() => client, { keyId: azureKey })
    const wrapped = await provider.wrap(material, context)
    client.setDenied(true)
    for (const call of [
      () => provider.wrap(material, context),
      () => provider.unwrap(azureKey, wrapped, context),
    ])
      await expect(wrapProviderErrors('to wrap', call)).rejects.toMatchObject({
        status: 503,
        cause: { message: 'RestError Forbidden' },
      })
  })

  it('throws a TypeError when the id of a key has no version', () => {
    for (const keyId of [
      '',
      'k',
      azureKey.replace(/\/[^/]*$/, ''),
      `${azureKey}${'0'.repeat(2048)}`,
    ])
      expect(() => createAzureKeyProvider(createLocalAzureClient, { keyId })).toThrow(TypeError)
    const formerKeyIds = ['k']
    expect(() =>
      createAzureKeyProvider(createLocalAzureClient, { keyId: azureKey, formerKeyIds }),
    ).toThrow(new TypeError('options.formerKeyIds[0] must be the id of a key with its version'))
  })

  it('throws a TypeError when clientOf returns the client of another key', () => {
    const other = createLocalAzureClient(`${azureKey}0`)
    expect(() => createAzureKeyProvider(() => other, { keyId: azureKey })).toThrow(
      new TypeError('keyID of the result of clientOf must be the id that it was called with'),
    )
  })
})

describe.each<[string, (keyId: string, formerKeyIds: readonly string[]) => unknown]>([
  [
    'awsKeyProvider',
    (keyId, formerKeyIds) => createAwsKeyProvider(createLocalAwsKms(), { keyId, formerKeyIds }),
  ],
  [
    'googleKeyProvider',
    (keyId, formerKeyIds) =>
      createGoogleKeyProvider(createLocalGoogleKms(''), { keyId, formerKeyIds }),
  ],
  [
    'transitKeyProvider',
    (keyId, formerKeyIds) =>
      createTransitKeyProvider({ address: 'https://a', keyId, formerKeyIds, token: () => 't' }),
  ],
])('%s', (_, create) => {
  it.each(['', 'k'.repeat(2049), '\ud800', 5, undefined])(
    'throws a TypeError for the id %o',
    (name) => {
      expect(() => create(name as string, [])).toThrow(TypeError)
      expect(() => create('k', ['k', name as string])).toThrow(
        /^options\.formerKeyIds\[1\] must be (?:text of )?1 to 2,048 /,
      )
    },
  )
})

describe('createTransitKeyProvider', () => {
  it('uses the mount path, and unwraps when the key was rotated', async () => {
    const { engine, provider } = await transit({ mount: 'team/transit' })
    const wrapped = await provider.wrap(material, context)
    expect(new TextDecoder().decode(wrapped)).toMatch(/^vault:v1:/)
    engine.rotate()
    expect(await provider.unwrap('cofferkit', wrapped, context)).toEqual(material)
    expect(new TextDecoder().decode(await provider.wrap(material, context))).toMatch(/^vault:v2:/)
    const [encrypt, decrypt] = ['encrypt', 'decrypt'].map(
      (verb) => `POST /v1/team/transit/${verb}/cofferkit`,
    )
    expect(engine.requests).toEqual([encrypt, decrypt, encrypt])
  })

  it('fails with 503 when the engine is sealed, is unreachable or rejects the token', async () => {
    const { engine, provider } = await transit()
    const { address } = engine
    const outsider = createTransitKeyProvider({
      address,
      keyId: 'cofferkit',
      token: () => 'hvs.other',
    })
    const failure = wrapProviderErrors('to wrap', () => outsider.wrap(material, context))
    await expect(failure).rejects.toMatchObject({
      status: 503,
      cause: { message: 'Error HTTP_403' },
    })
    const wrapped = await provider.wrap(material, context)
    engine.setStatus(503)
    const unwrapping = wrapProviderErrors('to wrap', () =>
      provider.unwrap('cofferkit', wrapped, context),
    )
    await expect(unwrapping).rejects.toMatchObject({
      status: 503,
      cause: { message: 'Error HTTP_503' },
    })
    engine.close()
    const gone = wrapProviderErrors('to wrap', () => provider.unwrap('cofferkit', wrapped, context))
    await expect(gone).rejects.toMatchObject({ status: 503 })
  })

  it('uses the given fetch', async () => {
    const urls: string[] = []
    const provider = createTransitKeyProvider({
      address: 'https://vault.example',
      keyId: 'k',
      token: () => 't',
      fetch: async (url) => {
        urls.push(url)
        return Response.json({ data: { ciphertext: 1 } })
      },
    })
    await expect(
      wrapProviderErrors('to wrap', () => provider.wrap(material, context)),
    ).rejects.toMatchObject({
      status: 503,
    })
    expect(urls).toEqual(['https://vault.example/v1/transit/encrypt/k'])
  })
})
