/** Calls of every function that has options, with one whose name is misspelt. */

import { createVaultService } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { createLocalKeyProvider } from 'cofferkit/encrypted'
import { createSigningKey } from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { adapters } from '../http/adapters.js'
import type { WrongCalls, WrongCallsByName } from './wrong-call.js'

const store = createMemoryStore()
const service = createVaultService({ store })
const handler = async () => ({ status: 204, headers: {}, body: null })
const authenticate = (): undefined => undefined
const fields = { key: {} }
const callback = (): void => {}
const bytes = new Uint8Array(32)
const { publicKey, privateKey } = await createSigningKey()
const keys = createLocalKeyProvider({ key: bytes })
const jwt = { issuer: 'i', audience: 'a', keys: [publicKey] }
const signed = { privateKey, issuer: 'i', audience: 'a', subject: 's', vaults: {} }

/** The call with `arguments` throws because `path` has the member `wrong` in place of `right`. */
function misspelt(
  path: string,
  wrong: string,
  right: string,
  call: readonly unknown[],
): WrongCalls {
  return { [`${path}.${wrong} is unknown, did you mean ${right}?`]: [call] }
}

const login = misspelt('options', 'challange', 'challenge', [callback, { challange: 'Bearer' }])

const loginCalls: WrongCallsByName = Object.fromEntries(
  adapters.flatMap(({ logins }) => Object.keys(logins).map((name) => [name, login])),
)

export const unknownOptions: WrongCallsByName = {
  createConnectDialect: misspelt('options', 'otpTyp', 'otpType', [{ otpTyp: 'TOTP' }]),
  createVaultService: {
    ...misspelt('options', 'histroy', 'history', [{ store, histroy: { maxVersions: 5 } }]),
    ...misspelt('options', 'validatItem', 'validateItem', [{ store, validatItem() {} }]),
    ...misspelt('options.limits', 'fileds', 'fields', [{ store, limits: { fileds: 5 } }]),
    ...misspelt('options.retry', 'maxAttempt', 'maxAttempts', [
      { store, retry: { maxAttempt: 5 } },
    ]),
    ...misspelt('options.history', 'maxVersion', 'maxVersions', [
      { store, history: { maxVersion: 5, maxVersions: 5 } },
    ]),
    'options.extensions is unknown': [[{ store, extensions: true }]],
    'options.???SWRDFSH?? is unknown': [[{ store, '\u00e4 \nSWRDFSH<>': 1 }]],
  },
  createCaller: {
    ...misspelt('options', 'createVault', 'createVaults', [
      { id: 'a', vaults: '*', createVault: true },
    ]),
    ...misspelt('options.use[0]', 'method', 'methods', [
      { id: 'a', vaults: { ['v'.repeat(26)]: 'use' }, use: [{ method: ['GET'] }] },
    ]),
  },
  createItemRules: {
    ...misspelt('options', 'dialekt', 'dialect', [{ dialekt: {} }]),
    ...misspelt('options.limits', 'field', 'fields', [{ limits: { field: 5 } }]),
  },
  generatePassword: misspelt('options', 'randomByte', 'randomBytes', [
    {},
    { randomByte: callback },
  ]),
  createHttpHandler: {
    ...misspelt('options', 'extension', 'extensions', [service, { authenticate, extension: true }]),
    ...misspelt('options', 'onErorr', 'onError', [service, { authenticate, onErorr: callback }]),
    ...misspelt('options.probes', 'metric', 'metrics', [
      service,
      { authenticate, probes: { metric: false } },
    ]),
  },
  createCredentials: {
    ...misspelt('options', 'verifyTimeout', 'verifyTimeoutMs', [service, {}, { verifyTimeout: 5 }]),
    ...misspelt('kinds.a', 'origin', 'origins', [service, { a: { fields, origin: [] } }]),
    ...misspelt('kinds.a.fields.key', 'secrets', 'secret', [
      service,
      { a: { fields: { key: { secrets: true } } } },
    ]),
  },
  createCredentialHandler: misspelt('options', 'vaultof', 'vaultOf', [
    createCredentials(service, { a: { fields } }),
    { authenticate, vaultof: callback },
  ]),
  createSecretFetch: misspelt('options', 'allows', 'allow', [...[callback, { allows: callback }]]),
  createSecretRelay: misspelt('options', 'allowHost', 'allowHosts', [
    ...[callback, { authenticate, fetch: callback, allowHost: [] }],
  ]),
  createPublicFetch: misspelt('options', 'allowHost', 'allowHosts', [{ allowHost: [] }]),
  vaultSecrets: misspelt('options', 'token', 'tokens', [
    ...[service, { id: 'a', can: callback }, { token: 1 }],
  ]),
  newGrant: misspelt('tokens', 'acessToken', 'accessToken', [{ acessToken: 'a' }]),
  createReferenceResolver: misspelt('options', 'token', 'tokens', [
    service,
    undefined,
    { token: 1 },
  ]),
  createTokenKeeper: misspelt('options', 'lease', 'leases', [{ lease: store.records }]),
  createPage: misspelt('options', 'readonly', 'readOnly', [handler, { readonly: false }]),
  ...loginCalls,
  createTokenAuthenticator: {
    ...misspelt('options', 'token', 'tokens', [{ token: [] }]),
    ...misspelt('options.tokens[0]', 'vault', 'vaults', [
      { tokens: [{ id: 'a', sha256: '0'.repeat(64), vault: '*' }] },
    ]),
  },
  createJwtAuthenticator: misspelt('options', 'algorithm', 'algorithms', [
    { ...jwt, algorithm: 'ES256' },
  ]),
  issueToken: misspelt('input', 'lifetimeSecond', 'lifetimeSeconds', [
    { ...signed, lifetimeSecond: 5 },
  ]),
  createMemoryActivityLog: misspelt('options', 'maxentries', 'maxEntries', [{ maxentries: 5 }]),
  createStoredActivityLog: misspelt('options', 'maxAge', 'maxAgeMs', [store, { maxAge: 5 }]),
  createSqliteStore: misspelt('options', 'busyTimeoutms', 'busyTimeoutMs', [
    { exec() {}, prepare() {} },
    { busyTimeoutms: 5 },
  ]),
  openSqliteStore: misspelt('options', 'drivers', 'driver', ['vault.db', { drivers: callback }]),
  createPostgresStore: misspelt('options', 'schemas', 'schema', [{ query() {} }, { schemas: 'a' }]),
  migratePostgres: misspelt('options', 'schemas', 'schema', [{ query() {} }, { schemas: 'a' }]),
  postgresMigrations: misspelt('options', 'engin', 'engine', [{ engin: 'cockroachdb' }]),
  createMysqlStore: misspelt('options', 'databas', 'database', [
    { execute() {} },
    { databas: 'a' },
  ]),
  migrateMysql: misspelt('options', 'databas', 'database', [{ execute() {} }, { databas: 'a' }]),
  mysqlMigrations: misspelt('options', 'tableprefix', 'tablePrefix', [{ tableprefix: 'a' }]),
  createEtcdStore: misspelt('options', 'endpoint', 'endpoints', [{ endpoint: 'http://localhost' }]),
  createS3BlobStore: misspelt('options', 'prefx', 'prefix', [
    { fetch },
    { url: 'https://example.com', prefx: 'a' },
  ]),
  composeStore: misspelt('halves', 'blob', 'blobs', [{ records: store, blob: store }]),
  createEncryptedStore: {
    ...misspelt('options', 'key', 'keys', [store, { key: keys }]),
    ...misspelt('options', 'maxKeyAge', 'maxKeyAgeMs', [store, { keys, maxKeyAge: 5 }]),
    ...misspelt('options', 'keyRing', 'keyRings', [store, { keys, keyRing: store.records }]),
  },
  'encryptedStore.rotateDataKeys': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  'encryptedStore.rewrapKeys': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  'encryptedStore.forgetKeys': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  'encryptedStore.eraseKeys': misspelt('options', 'backupKeepsThem', 'backupsKeepThem', [
    { scopes: [], backupKeepsThem: true },
  ]),
  'encryptedStore.reencrypt': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  createSealer: misspelt('options', 'maxKeyAge', 'maxKeyAgeMs', [
    store.records,
    { keys, maxKeyAge: 5 },
  ]),
  'sealer.rotateDataKeys': misspelt('options', 'leak', 'leaked', [{ leak: true }]),
  'sealer.rewrapKeys': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  'sealer.eraseKeys': misspelt('options', 'scope', 'scopes', [{ scope: 'a' }]),
  createLocalKeyProvider: misspelt('options', 'keyIdd', 'keyId', [
    { keys: { a: bytes }, keyIdd: 'a' },
  ]),
  createAwsKeyProvider: misspelt('options', 'keyID', 'keyId', [
    { encrypt() {}, decrypt() {} },
    { keyID: 'a' },
  ]),
  createGoogleKeyProvider: misspelt('options', 'keyID', 'keyId', [
    { encrypt() {}, decrypt() {} },
    { keyID: 'a' },
  ]),
  createAzureKeyProvider: misspelt('options', 'algoritmOf', 'algorithmOf', [
    callback,
    { algoritmOf: callback },
  ]),
  createTenantKeyProvider: misspelt('options', 'ofVaults', 'ofVault', [
    { ours: keys, ofVaults: callback },
  ]),
  createTransitKeyProvider: misspelt('options', 'standby', 'standbys', [{ standby: [] }]),
  readExport: {
    ...misspelt('options', 'limit', 'limits', [bytes, { limit: {} }]),
    ...misspelt('options.limits', 'item', 'items', [bytes, { limits: { item: 5 } }]),
    ...misspelt('options', 'formats', 'format', [bytes, { formats: '1pux' }]),
  },
  createTestVault: {
    ...misspelt('options', 'histroy', 'history', [{ histroy: { maxVersions: 5 } }]),
    ...misspelt('options', 'extensions', 'httpOptions.extensions', [{ extensions: true }]),
    ...misspelt('httpOptions', 'extension', 'extensions', [{}, { extension: true }]),
  },
}
