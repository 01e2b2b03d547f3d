import { describe, expect, it, onTestFinished } from 'vitest'
import { DecryptionError, type VaultStore } from '../../../../src/index.js'
import {
  createAwsKeyProvider,
  createEncryptedStore,
  createGoogleKeyProvider,
  createLocalKeyProvider,
  createTransitKeyProvider,
  type EncryptedStore,
  type KeyProvider,
} from '../../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../../src/storage/memory.js'
import { createLocalAwsKms } from '../../../support/auth/kms-aws.js'
import { createLocalGoogleKms } from '../../../support/auth/kms-google.js'
import { startLocalTransit } from '../../../support/auth/kms-transit.js'
import { utf8 } from '../../../support/bytes.js'
import { createKeys, overwriteInner } from '../../../support/stores/encrypted-stores.js'

const key = { collection: 'items/v1', id: 'a' }
const ringKey = { collection: 'keys', id: 'v1' }

/** Two KEKs of one key management service, and the requests that it has received for each. */
interface Neighbours {
  /**
   * A provider with our KEK as the current one, and the neighbour's as a former one if `trusted`.
   */
  ours(trusted?: boolean): KeyProvider
  readonly theirs: KeyProvider
  requestsForTheirs(): number
}

const services: readonly (readonly [string, () => Promise<Neighbours>])[] = [
  [
    'AWS KMS',
    async () => {
      const client = createLocalAwsKms('arn:ours', 'arn:theirs')
      return {
        ours: (trusted = false) =>
          createAwsKeyProvider(client, {
            keyId: 'arn:ours',
            ...(trusted && { formerKeyIds: ['arn:theirs'] }),
          }),
        theirs: createAwsKeyProvider(client, { keyId: 'arn:theirs' }),
        requestsForTheirs: () =>
          client.requests.filter(({ KeyId }) => KeyId === 'arn:theirs').length,
      }
    },
  ],
  [
    'Google Cloud KMS',
    async () => {
      const [ours, theirs] = ['p/cryptoKeys/ours', 'p/cryptoKeys/theirs']
      const clients = new Map([ours, theirs].map((name) => [name, createLocalGoogleKms(name)]))
      const clientFor = (name: string) => clients.get(name) ?? createLocalGoogleKms('')
      const client = {
        encrypt: (request: Parameters<ReturnType<typeof clientFor>['encrypt']>[0]) =>
          clientFor(request.name).encrypt(request),
        decrypt: (request: Parameters<ReturnType<typeof clientFor>['decrypt']>[0]) =>
          clientFor(request.name).decrypt(request),
      }
      return {
        ours: (trusted = false) =>
          createGoogleKeyProvider(client, {
            keyId: ours,
            ...(trusted && { formerKeyIds: [theirs] }),
          }),
        theirs: createGoogleKeyProvider(client, { keyId: theirs }),
        requestsForTheirs: () => clientFor(theirs).requests.length,
      }
    },
  ],
  [
    'the transit engine',
    async () => {
      const engine = await startLocalTransit('ours', 't', { otherKeys: ['theirs'] })
      onTestFinished(() => engine.close())
      const options = { address: engine.address, token: () => 't' }
      return {
        ours: (trusted = false) =>
          createTransitKeyProvider({
            ...options,
            keyId: 'ours',
            ...(trusted && { formerKeyIds: ['theirs'] }),
          }),
        theirs: createTransitKeyProvider({ ...options, keyId: 'theirs' }),
        requestsForTheirs: () => engine.requests.filter((line) => /theirs/.test(line)).length,
      }
    },
  ],
  [
    'a custom provider that does not check names',
    async () => {
      const keys = { ours: new Uint8Array(32).fill(1), theirs: new Uint8Array(32).fill(2) }
      let requests = 0
      const inner = createLocalKeyProvider({ keys, keyId: 'ours' })
      const theirs = createLocalKeyProvider({ keys, keyId: 'theirs' })
      const unwrap: KeyProvider['unwrap'] = (kekId, wrapped, context) => {
        if (kekId === theirs.currentKekId) requests++
        return inner.unwrap(kekId, wrapped, context)
      }
      return {
        ours: (trusted = false) => ({
          ...inner,
          unwrap,
          kekIds: trusted ? inner.kekIds : [inner.currentKekId],
        }),
        theirs,
        requestsForTheirs: () => requests,
      }
    },
  ],
]

/** A ring and a record that an attacker has encrypted under their own KEK, to be stored. */
async function substitute(inner: VaultStore, theirs: KeyProvider): Promise<void> {
  const source = createMemoryStore()
  await createEncryptedStore(source, { keys: theirs }).records.put(key, { body: utf8('forged') }, 0)
  for (const ref of [ringKey, key]) {
    const stored = await source.records.get(ref)
    await overwriteInner(inner, ref, { body: stored?.body ?? utf8('') })
  }
}

describe.each(services)('assertKnownKek with %s', (_, createService) => {
  it('rejects a KEK of a neighbour: it is never used to unwrap, and no key is rewrapped', async () => {
    const service = await createService()
    const inner = createMemoryStore()
    const start = (): EncryptedStore => createEncryptedStore(inner, { keys: service.ours() })
    await start().records.put(key, { body: utf8('x') }, 0)
    await substitute(inner, service.theirs)
    const requests = service.requestsForTheirs()
    const ring = await inner.records.get(ringKey)
    const calls = [
      () => start().records.get(key),
      () => start().records.list(key.collection, { limit: 9 }),
      () => start().records.put(key, { body: utf8('secret') }, 1),
      () => start().records.put({ ...key, id: 'new' }, { body: utf8('secret') }, 0),
      () => start().blobs.write('v1/new', new Blob(['secret']).stream()),
      () => start().rotateDataKeys(),
      () => start().rewrapKeys(),
      () => start().reencrypt(),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow(DecryptionError)
    expect(await inner.records.get(ringKey)).toEqual(ring)
    expect(await inner.records.get({ ...key, id: 'new' })).toBeUndefined()
    expect(service.requestsForTheirs()).toBe(requests)
  })

  it('accepts a KEK of a neighbour while it is configured as a former one', async () => {
    const service = await createService()
    const inner = createMemoryStore()
    const former = createEncryptedStore(inner, { keys: service.theirs })
    await former.records.put(key, { body: utf8('x') }, 0)
    await former.rotateDataKeys()
    const changing = createEncryptedStore(inner, { keys: service.ours(true) })
    expect(await changing.rewrapKeys()).toBe(1)
    expect(await changing.rewrapKeys()).toBe(0)
    const store = createEncryptedStore(inner, { keys: service.ours() })
    expect((await store.records.get(key))?.body).toEqual(utf8('x'))
  })
})

describe('keyProvider', () => {
  const provider = createKeys()

  it.each<[string, unknown, typeof TypeError, string]>([
    [
      'undefined',
      undefined,
      TypeError,
      'options.keys.kekIds must be a list of names of 1 to 2,048 characters',
    ],
    [
      'a string',
      'local',
      TypeError,
      'options.keys.kekIds must be a list of names of 1 to 2,048 characters',
    ],
    [
      'a list with an empty name',
      ['local', ''],
      TypeError,
      'options.keys.kekIds must be a list of names of 1 to 2,048',
    ],
    [
      'a list with a number',
      ['local', 1],
      TypeError,
      'options.keys.kekIds must be a list of names of 1 to 2,048',
    ],
    [
      'a list without the current one',
      ['other'],
      RangeError,
      'options.keys.kekIds must include options.keys.currentKekId',
    ],
    ['an empty list', [], RangeError, 'options.keys.kekIds must include options.keys.currentKekId'],
  ])('throws when kekIds is %s', (_, kekIds, error, message) => {
    const keys = { ...provider, kekIds } as KeyProvider
    expect(() => createEncryptedStore(createMemoryStore(), { keys })).toThrow(error)
    expect(() => createEncryptedStore(createMemoryStore(), { keys })).toThrow(message)
  })
})

describe('wrapSecret', () => {
  it.each([0, 6145])(
    'rejects when the provider returns a wrapped key of %i bytes',
    async (length) => {
      const keys = { ...createKeys(), wrap: async () => new Uint8Array(length) }
      const store = createEncryptedStore(createMemoryStore(), { keys })
      await expect(store.records.put(key, { body: utf8('x') }, 0)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: 'the key provider must return a wrapped key of 1 to 6,144 bytes',
      })
    },
  )
})
