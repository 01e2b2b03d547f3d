/** Wrong calls of the functions of `cofferkit/encrypted` and of `cofferkit/testing`. */

import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createSealer } from 'cofferkit/seal'
import { recordStoreContract } from 'cofferkit/testing'
import { templates } from '../../../src/testing/drafts/templates.js'
import {
  notFunctions,
  notOptions,
  notStrings,
  secret,
  type WrongCallsByName,
  wrongStores,
} from './wrong-call.js'

const store = createMemoryStore()
const keys = createLocalKeyProvider({ key: new Uint8Array(32) })
const kms = { encrypt() {}, decrypt() {} }
const azureKey = 'https://v.vault.azure.net/keys/k/1'
const azure = { keyID: azureKey, wrapKey() {}, unwrapKey() {} }
const clientOf = () => azure
const ofVault = (): undefined => undefined
const transit = { address: 'https://vault.example.com', keyId: 'k', token: () => secret }

export const storeCalls: WrongCallsByName = {
  createEncryptedStore: {
    ...wrongStores('inner', (value) => [value, { keys }]),
    'options must be an object': [[store], ...notOptions.map((value) => [store, value])],
    'options is a key provider with wrap and unwrap: pass { keys }': [[store, keys]],
    'inner and options are swapped': [[{ keys }, store]],
    'options.keys must be a key provider with wrap and unwrap': [
      [store, {}],
      [store, { keys: secret }],
      [store, { keys: new Uint8Array(32) }],
      [store, { keys: createLocalKeyProvider }],
    ],
    'options.acceptsPlaintext must be a boolean': [[store, { keys, acceptsPlaintext: secret }]],
    'options.keys.ofScope must be a function': [[store, { keys: { ...keys, ofScope: secret } }]],
    'options.maxKeyAgeMs must be a number from 1,000 to 2,147,483,647': [
      [store, { keys, maxKeyAgeMs: secret }],
    ],
    'options.keyRings must be an object with get, put, delete, list': [
      [store, { keys, keyRings: secret }],
      [store, { keys, keyRings: null }],
    ],
    'options.keyRings.get must be a function': [[store, { keys, keyRings: createMemoryStore() }]],
  },
  'encryptedStore.rotateDataKeys': { 'options must be an object': notOptions.map((v) => [v]) },
  'encryptedStore.rewrapKeys': { 'options must be an object': notOptions.map((v) => [v]) },
  'encryptedStore.forgetKeys': {
    'options must be an object': notOptions.map((v) => [v]),
    'options.scopes must be a list of strings': [[{ scopes: secret }]],
  },
  'encryptedStore.eraseKeys': {
    'options must be an object': [[], [null], [secret], [7]],
    'options is a list of strings: pass { scopes }': [[['a']]],
    'options.scopes must be a list of strings': [
      [{ backupsKeepThem: true }],
      [{ scopes: secret, backupsKeepThem: true }],
    ],
  },
  'encryptedStore.reencrypt': {
    'options must be an object': notOptions.map((value) => [value]),
    'options.signal.throwIfAborted must be a function': [
      [{ signal: new AbortController() }],
      [{ signal: null }],
    ],
    'options.scopes must be a list of strings': [[{ scopes: secret }]],
  },
  createSealer: {
    'rings must be an object with get, put, delete, list': [
      [undefined, { keys }],
      [null, { keys }],
      [secret, { keys }],
    ],
    'rings.get must be a function': [[store, { keys }]],
    'rings is a promise: is await missing?': [[Promise.resolve(store.records), { keys }]],
    'options must be an object': [
      [store.records],
      ...notOptions.map((value) => [store.records, value]),
    ],
    'options.keys must be a key provider with wrap and unwrap': [[store.records, { keys: secret }]],
    'options.maxKeyAgeMs must be a number from 1,000 to 2,147,483,647': [
      [store.records, { keys, maxKeyAgeMs: secret }],
    ],
    'options.legacy must be a list': [[store.records, { keys, legacy: secret }]],
    'options.now must be a function': [[store.records, { keys, now: secret }]],
  },
  'sealer.box': {
    'scope must be 1 to 128 printable ASCII characters': notStrings.map((value) => [value]),
  },
  'sealer.rotateDataKeys': {
    'options must be an object': notOptions.map((value) => [value]),
    'options.leaked must be a boolean': [[{ leaked: secret }]],
    'options.scopes must be a list of strings': [[{ scopes: secret }]],
  },
  'sealer.rewrapKeys': {
    'options must be an object': notOptions.map((value) => [value]),
    'options.scopes must be a list of strings': [[{ scopes: secret }]],
  },
  'sealer.eraseKeys': {
    'options must be an object': [[], [secret], [7]],
    'options is a list of strings: pass { scopes }': [[['acme']]],
    'options.scopes must be a list of strings': [[{}], [{ scopes: secret }]],
  },
  hintOf: { 'value must be a string': notStrings.map((value) => [value]) },
  createLocalKeyProvider: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options is a Uint8Array of 32 bytes: pass { key }': [[new Uint8Array(32)]],
    'options.keys must be an object': [[{ keys: null, keyId: 'a' }]],
    'options.key must be a Uint8Array of 32 bytes': [[{}], [{ key: secret }]],
    'each of options.keys must be a Uint8Array of 32 bytes': [
      [{ keys: { a: secret }, keyId: 'a' }],
    ],
  },
  createAwsKeyProvider: {
    'client must be an object with encrypt, decrypt': [[], [null], [secret]],
    'client.encrypt must be a function': [[{ send() {} }]],
    'options must be an object': [[kms], [kms, null], [kms, 7], [kms, [secret]]],
    'options is text of 1 to 2,048 characters: pass { keyId }': [[kms, secret]],
  },
  createGoogleKeyProvider: {
    'client must be an object with encrypt, decrypt': [[], [null], [secret]],
    'client.encrypt must be a function': [[{}]],
    'options must be an object': [[kms], [kms, null], [kms, 7], [kms, [secret]]],
    'options is text of 1 to 2,048 characters: pass { keyId }': [[kms, secret]],
  },
  createAzureKeyProvider: {
    'clientOf must be a function': [[], [azure, { keyId: azureKey }]],
    'clientOf and options are swapped': [[{ keyId: azureKey }, clientOf]],
    'options must be an object': [[clientOf], ...notOptions.map((value) => [clientOf, value])],
    'options.keyId must be the id of a key with its version': [
      [clientOf, {}],
      [clientOf, { keyId: secret }],
    ],
    'options.formerKeyIds must be a list of ids': [
      [clientOf, { keyId: azureKey, formerKeyIds: secret }],
    ],
    'options.algorithmOf must be a function': [
      [clientOf, { keyId: azureKey, algorithmOf: 'A256KW' }],
    ],
    'the result of algorithmOf must be RSA-OAEP-256 or A256KW': [
      [clientOf, { keyId: azureKey, algorithmOf: () => 'RSA1_5' }],
    ],
    'the result of clientOf must be an object with wrapKey, unwrapKey': [
      [() => undefined, { keyId: azureKey }],
    ],
    'the result of clientOf.wrapKey must be a function': [[() => ({}), { keyId: azureKey }]],
    'the result of clientOf is a promise: is await missing?': [
      [async () => azure, { keyId: azureKey }],
    ],
  },
  createTenantKeyProvider: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options.ours must be a key provider with wrap and unwrap': [
      [{ ofVault }],
      [{ ours: secret, ofVault }],
    ],
    'options.ofVault must be a function': notFunctions.map((value) => [
      { ours: keys, ofVault: value },
    ]),
  },
  createTransitKeyProvider: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options.token must be a function': [undefined, ...notFunctions].map((value) => [
      { ...transit, token: value },
    ]),
    'options.mount must be segments of letters, digits, _, . and -, joined by /': [
      [{ ...transit, mount: null }],
    ],
    'options.standbys must be a list of origins': [[{ ...transit, standbys: secret }]],
    'options.fetch must be a function': [[{ ...transit, fetch: secret }]],
    'options.address must be an origin, such as https://vault.example.com:8200': [
      [{ ...transit, address: undefined }],
      [{ ...transit, address: secret }],
    ],
  },
  readKeyFile: {
    'path must be a non-empty string': [[], [''], ...notStrings.map((value) => [value])],
  },
  createKeyFile: {
    'path must be a non-empty string': [[], [''], ...notStrings.map((value) => [value])],
  },
  encodeKeyContext: {
    'context must be an object with purpose, scope': [[], [null], [secret]],
    'context.scope must be a string': [[{ purpose: 'p', scope: 1 }]],
  },
  ...Object.fromEntries(
    ['detectEncryption', 'countPlaintextRecords', 'listKeyRings'].map((name) => {
      const path = name === 'listKeyRings' ? 'keyRings' : 'inner'
      return [
        name,
        {
          [`${path} must be an object with get, put, delete, list`]: [[], [null], [secret]],
          [`${path}.get must be a function`]: [[store]],
          [`${path} is a promise: is await missing?`]: [[Promise.resolve(store.records)]],
        },
      ]
    }),
  ),
  canUnwrap: {
    'provider must be a key provider with wrap and unwrap': [[], [null], [new Uint8Array(32)]],
    'ring must be an object with scope': [[keys], [keys, null], [keys, secret]],
    'ring.scope must be a string': [[keys, { scope: 1 }]],
    'ring.secret must be a string': [[keys, { scope: 'vaults', kekId: 'k', secret: 1 }]],
  },
  createTestClock: { 'start must be an ISO 8601 time': [[secret], [null], [new Date()]] },
  createSeededRandomBytes: { 'seed must be a number': [[null], [secret]] },
  createFaultyStore: {
    ...wrongStores('store', (value) => [value, () => undefined]),
    'faultOf must be a function': [[store], ...notFunctions.map((value) => [store, value])],
  },
  createTestVault: {
    'options must be an object': notOptions.map((value) => [value]),
    'httpOptions must be an object': notOptions.map((value) => [{}, value]),
    ...wrongStores('options.store', (value) => [{ store: value ?? secret }]),
    'options.seed must be a seed with at least one vault': [[{ seed: { vaults: [] } }]],
  },
  plantSeed: {
    'service must be an object with as, dialect': [[], [null], [secret]],
  },
  itemDraft: {
    [`category must be one of ${Object.keys(templates).join(', ')}`]: [[], [null], ['toString']],
    'changes must be an object': notOptions.map((value) => ['LOGIN', value]),
    'changes.values must be an object': notOptions.map((values) => ['LOGIN', { values }]),
    'changes.values must be an object with members of password, notesPlain': [
      ['PASSWORD', { values: { username: secret } }],
      ['PASSWORD', { values: { password: 7 } }],
    ],
    'changes.values must be left out with changes.fields, which replace all fields': [
      ['PASSWORD', { values: { password: secret }, fields: [] }],
    ],
  },
  createContractTests: {
    'contract must be a list of cases': [[], [null], [secret], [{ name: 'a', run: () => {} }]],
    'contract[0] must be an object with name, run': [[[null]], [[secret]]],
    'contract[0].run must be a function': [[[{ name: 'a', run: secret }]]],
    'createSubject must be a function': [
      [recordStoreContract],
      ...notFunctions.map((value) => [recordStoreContract, value]),
      [recordStoreContract, store.records],
    ],
  },
  recordStoreContract: {
    'records must be an object with get, put, delete, list': [[], [null], [() => store.records]],
    'records.get must be a function': [[store]],
  },
  blobStoreContract: {
    'blobs must be an object with read, write, delete': [[], [null], [() => store.blobs]],
    'blobs.read must be a function': [[store]],
  },
  grantSourceContract: {
    'subject must be an object with grants, refs': [[], [null], [() => {}]],
    'subject.grants must be an object with key, read, replace': [[{}], [{ grants: secret }]],
  },
  httpContract: {
    'target must be an object with origin, vault': [[], [null], ['http://127.0.0.1']],
    'target.origin must be a string': [[{}]],
    'target.vault must be an object with vaultId, item, tokens': [[{ origin: 'http://127.0.0.1' }]],
  },
  hostileRequests: {
    'server must be an object with serve': [[], [null], [() => {}]],
    'server.serve must be a function': [[{}], [{ serve: secret }]],
  },
}

export const encryptedStore = createEncryptedStore(store, { keys })
export const sealer = createSealer(createMemoryStore().records, { keys })
