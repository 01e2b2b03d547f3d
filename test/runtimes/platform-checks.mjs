/** Checks of the platform: randomness, digests, ciphers and errors. */

import {
  createCaller,
  createVaultService,
  DecryptionError,
  isVaultError,
  NotFoundError,
  StorageError,
  VaultError,
} from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, hashToken } from 'cofferkit/tokens'
import { assert, assertEqual, assertRejects, equalBytes } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!@.-_*'

/** Checks without a subject. */
export const platformChecks = [
  {
    name: 'generates unique ids and tokens',
    async run() {
      const service = createVaultService({ store: createMemoryStore() })
      const drawn = new Set()
      for (let count = 0; count < 50; count++) {
        drawn.add(
          (await service.createVault(createCaller({ id: 'owner', vaults: '*' }), { name: 'Home' }))
            .id,
        )
        drawn.add((await createToken()).token)
      }
      assertEqual(drawn.size, 100, 'distinct ids and tokens')
    },
  },
  {
    name: 'generates values in which every character occurs',
    async run() {
      const service = createVaultService({ store: createMemoryStore() })
      const owner = createCaller({ id: 'owner', vaults: '*' })
      const { id: vaultId } = await service.createVault(owner, { name: 'Home' })
      const fields = Array.from({ length: 100 }, (_, index) => ({
        id: `f${index}`,
        type: 'CONCEALED',
        generate: true,
        recipe: { length: 64, characterSets: ['LETTERS', 'DIGITS', 'SYMBOLS'] },
      }))
      const item = await service.createItem(owner, { vaultId, item: draftIn(vaultId, { fields }) })
      const values = item.fields.map(({ value }) => value)
      assertEqual(new Set(values).size, 100, 'distinct values')
      assertEqual([...new Set(values.join(''))].sort(), [...characters].sort(), 'characters')
    },
  },
  {
    name: 'digests a token with SHA-256',
    async run() {
      const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
      assertEqual(await hashToken('abc'), expected, 'the digest of abc (FIPS 180-4)')
    },
  },
  {
    name: 'encrypts the same record differently each time',
    async run() {
      const inner = createMemoryStore()
      const key = crypto.getRandomValues(new Uint8Array(32))
      const { records } = createEncryptedStore(inner, { keys: createLocalKeyProvider({ key }) })
      const body = new TextEncoder().encode(secret)
      const places = ['one', 'two'].map((id) => ({ collection: 'vaults', id }))
      for (const ref of places) await records.put(ref, { body }, 0)
      const [one, two] = await Promise.all(places.map((ref) => inner.records.get(ref)))
      assert(!equalBytes(one.body.slice(8, 32), two.body.slice(8, 32)), 'the nonces are the same')
      const text = new TextDecoder('latin1').decode(one.body)
      assert(!text.includes('horse'), 'the encrypted record contains the secret')
      assert(equalBytes((await records.get(places[0])).body, body), 'the decrypted record differs')
    },
  },
  {
    name: 'decrypts nothing with another key',
    async run() {
      const inner = createMemoryStore()
      const storeWith = (number) => {
        const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(number) })
        return createEncryptedStore(inner, { keys })
      }
      const owner = createCaller({ id: 'owner', vaults: '*' })
      const service = createVaultService({ store: storeWith(1) })
      const { id: vaultId } = await service.createVault(owner, { name: 'Home' })
      const other = createVaultService({ store: storeWith(2) })
      const error = await assertRejects(
        other.getVault(owner, { vaultId }),
        DecryptionError,
        'DECRYPTION_FAILED',
      )
      assert(error instanceof StorageError, 'the error is not a StorageError')
    },
  },
  {
    name: 'creates errors of the right classes',
    async run() {
      const error = new NotFoundError('no such vault', { resource: 'vault' })
      assert(
        error instanceof NotFoundError && error instanceof VaultError,
        'instanceof its classes',
      )
      assert(error instanceof Error && isVaultError(error), 'an error of this library')
      assert(!(error instanceof StorageError), 'not instanceof another class')
      assert(error.stack.includes('NotFoundError'), 'the stack names its class')
      assertEqual(error.toJSON(), { status: 404, message: 'no such vault' }, 'JSON')
    },
  },
]
