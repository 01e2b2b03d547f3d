import { composeStore, createVaultService } from 'cofferkit'
import {
  createAwsKeyProvider,
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  createTenantKeyProvider,
  createTransitKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { createEtcdStore } from 'cofferkit/etcd'
import { createLibsqlStore } from 'cofferkit/libsql'
import { createMemoryStore } from 'cofferkit/memory'
import { createMysqlStore } from 'cofferkit/mysql'
import { createPostgresStore, migratePostgres, postgresMigrations } from 'cofferkit/postgres'
import { createS3BlobStore } from 'cofferkit/s3'
import { createSealer, hintOf } from 'cofferkit/seal'
import { createSqliteStore, openSqliteStore } from 'cofferkit/sqlite'
import { type Guesses, notSet } from './guess.js'

const inner = createMemoryStore()
const key = new Uint8Array(32)
const keys = createLocalKeyProvider({ key })
const aws = { encrypt: async () => ({}), decrypt: async () => ({}) }
const encrypted = createEncryptedStore(inner, { keys })
const sealer = createSealer(createMemoryStore().records, { keys })
const box = await sealer.box('acme')
const column = box.column('users', 'api_key')
const client = { query: async () => ({ rows: [] }) }

async function closedStore() {
  const closed = createEncryptedStore(createMemoryStore(), { keys })
  await closed.close()
  return closed
}

const databases: Guesses = {
  'no path of a file': {
    compiles: true,
    call: () => openSqliteStore(notSet),
    clear: 'TypeError: path must be a string',
  },
  'a path for a connection': {
    compiles: false,
    // @ts-expect-error
    call: () => createSqliteStore('vault.db'),
    clear: 'TypeError: database must be an object with exec, prepare',
  },
  'a URL for a pool': {
    compiles: false,
    // @ts-expect-error
    call: () => createPostgresStore('postgres://localhost/app'),
    clear: 'TypeError: client.query must be a function',
  },
  'options of a pool': {
    compiles: false,
    // @ts-expect-error
    call: () => createPostgresStore({ connectionString: notSet }),
    clear: 'TypeError: client.query must be a function',
  },
  'the option schema': {
    compiles: false,
    // @ts-expect-error
    call: () => createPostgresStore(client, { tableName: 'vault_' }),
    clear: 'TypeError: options.tableName is unknown',
  },
  'a migration of a store': {
    compiles: false,
    // @ts-expect-error
    call: () => migratePostgres(createMemoryStore()),
    clear: 'TypeError: client.query must be a function',
  },
  'migrations with a client': {
    compiles: false,
    // @ts-expect-error
    call: () => postgresMigrations(client),
    clear: 'TypeError: options.query is unknown',
  },
  'a URL for a client of libSQL': {
    compiles: false,
    // @ts-expect-error
    call: () => createLibsqlStore({ url: 'libsql://example.com' }),
    clear: 'TypeError: client.execute must be a function',
  },
  'a callback client of MySQL': {
    compiles: false,
    // @ts-expect-error
    call: () => createMysqlStore({ query: () => {} }),
    clear: 'TypeError: client.execute must be a function',
  },
  'one endpoint for a list': {
    compiles: false,
    // @ts-expect-error
    call: () => createEtcdStore({ endpoints: 'http://localhost:2379' }),
    clear: 'TypeError: options.endpoints must be a list of 1 or more origins',
  },
  'an endpoint that is undefined': {
    compiles: true,
    call: () => createEtcdStore({ endpoints: [notSet] }),
    clear:
      'TypeError: options.endpoints[0] must be an origin, such as https://etcd.example.com:2379',
  },
  'an endpoint without a scheme': {
    compiles: true,
    call: () => createEtcdStore({ endpoints: ['localhost:2379'] }),
    clear:
      'TypeError: options.endpoints[0] must be an origin, such as https://etcd.example.com:2379',
  },
  'a bucket without its URL': {
    compiles: false,
    // @ts-expect-error
    call: () => createS3BlobStore({ fetch }, { bucket: 'files' }),
    clear: 'TypeError: options.bucket is unknown',
  },
  'an undefined URL of a bucket': {
    compiles: true,
    call: () => createS3BlobStore({ fetch }, { url: notSet }),
    clear: 'TypeError: options.url must be an HTTP URL without user, query and fragment',
  },
  'the function fetch for a client of S3': {
    compiles: false,
    // @ts-expect-error
    call: () => createS3BlobStore(fetch, { url: 'https://files.example.com' }),
    clear: 'TypeError: client must be an object with fetch',
  },
  'halves of a store by position': {
    compiles: false,
    // @ts-expect-error
    call: () => composeStore(createMemoryStore(), createMemoryStore()),
    clear: 'TypeError: halves must be one object: pass { records, blobs }',
  },
}

const encryption: Guesses = {
  'a key for a provider': {
    compiles: false,
    // @ts-expect-error
    call: () => createEncryptedStore(inner, { keys: key }),
    clear: 'TypeError: options.keys must be a key provider with wrap and unwrap',
  },
  'a key without its options': {
    compiles: false,
    // @ts-expect-error
    call: () => createEncryptedStore(inner, key),
    clear: 'TypeError: options must be an object',
  },
  'a provider without its options': {
    compiles: false,
    // @ts-expect-error
    call: () => createEncryptedStore(inner, keys),
    clear: 'TypeError: options is a key provider with wrap and unwrap: pass { keys }',
  },
  'arguments that are swapped': {
    compiles: false,
    // @ts-expect-error
    call: () => createEncryptedStore({ keys }, inner),
    clear: 'TypeError: inner and options are swapped',
  },
  'a service for a store': {
    compiles: false,
    // @ts-expect-error
    call: () => createEncryptedStore(createVaultService({ store: inner }), { keys }),
    clear: 'TypeError: inner.records must be an object with get, put, delete, list',
  },
  'an age of keys in seconds': {
    compiles: true,
    call: () => createEncryptedStore(inner, { keys, maxKeyAgeMs: 90 }),
    clear: 'RangeError: options.maxKeyAgeMs must be a number from 1,000 to 2,147,483,647',
  },
  'a scope that is text': {
    compiles: true,
    call: () => encrypted.eraseKeys({ scopes: 'acme' }),
    clear: 'TypeError: options.scopes must be a list of strings',
  },
  'scopes without their options': {
    compiles: false,
    // @ts-expect-error
    call: () => encrypted.rotateDataKeys(['acme']),
    clear: 'TypeError: options must be an object',
  },
  'a scope that does not exist': {
    compiles: true,
    call: () => encrypted.eraseKeys({ scopes: ['acme'] }),
    clear: 'RangeError: eraseKeys needs the option keyRings, or backupsKeepThem: true',
  },
  'an erasure without scopes': {
    compiles: false,
    // @ts-expect-error
    call: () => encrypted.eraseKeys(),
    clear: 'TypeError: options must be an object',
  },
  'a call of a closed store': {
    compiles: true,
    call: async () => (await closedStore()).records.get({ collection: 'a', id: 'b' }),
    clear: 'StorageUnavailableError: the encrypted store is closed',
  },
  'a key in hexadecimal digits': {
    compiles: false,
    // @ts-expect-error
    call: () => createLocalKeyProvider({ key: '00'.repeat(32) }),
    clear: 'TypeError: options.key must be a Uint8Array of 32 bytes',
  },
  'a key without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => createLocalKeyProvider(key),
    clear: 'TypeError: options is a Uint8Array of 32 bytes: pass { key }',
  },
  'a key that is undefined': {
    compiles: true,
    call: () => createLocalKeyProvider({ key: notSet }),
    clear: 'TypeError: options.key must be a Uint8Array of 32 bytes',
  },
  'a key that is too short': {
    compiles: true,
    call: () => createLocalKeyProvider({ key: new Uint8Array(16) }),
    clear: 'RangeError: options.key must be a Uint8Array of 32 bytes',
  },
  'a password for a key': {
    compiles: true,
    call: () => createLocalKeyProvider({ key: Buffer.from('correct horse') }),
    clear: 'RangeError: options.key must be a Uint8Array of 32 bytes',
  },
  'a key file without await': {
    compiles: false,
    // @ts-expect-error
    call: () => createLocalKeyProvider({ key: Promise.resolve(key) }),
    clear: 'TypeError: options.key is a promise: is await missing?',
  },
  'several keys without the current': {
    compiles: false,
    // @ts-expect-error
    call: () => createLocalKeyProvider({ keys: { k1: key } }),
    clear: 'TypeError: options.keyId must be a string',
  },
  'a current key that is missing': {
    compiles: true,
    call: () => createLocalKeyProvider({ keys: { k1: key }, keyId: 'k2' }),
    clear: 'RangeError: options.keyId must be the name of one of the keys',
  },
  'a key file that is undefined': {
    compiles: true,
    call: () => readKeyFile(notSet),
    clear: 'TypeError: path must be a non-empty string',
  },
  'a new key file without a path': {
    compiles: true,
    call: () => createKeyFile(''),
    clear: 'TypeError: path must be a non-empty string',
  },
  'an AWS key by its old name': {
    compiles: false,
    // @ts-expect-error
    call: () => createAwsKeyProvider(aws, { kekId: 'arn:aws:kms:key' }),
    clear: 'TypeError: options.kekId is unknown, did you mean keyId?',
  },
  'an AWS key that is undefined': {
    compiles: true,
    call: () => createAwsKeyProvider(aws, { keyId: notSet }),
    clear: 'TypeError: options.keyId must be text of 1 to 2,048 characters',
  },
  'an AWS client of the modular SDK': {
    compiles: false,
    // @ts-expect-error
    call: () => createAwsKeyProvider({ send: async () => ({}) }, { keyId: 'arn:aws:kms:key' }),
    clear: 'TypeError: client.encrypt must be a function',
  },
  'an address without a scheme': {
    compiles: true,
    call: () =>
      createTransitKeyProvider({ address: 'vault:8200', keyId: 'app', token: () => 'hvs.1' }),
    clear: 'TypeError: options.address must be an origin, such as https://vault.example.com:8200',
  },
  'a token that is text': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createTransitKeyProvider({ address: 'https://vault:8200', keyId: 'app', token: 'hvs.1' }),
    clear: 'TypeError: options.token must be a function',
  },
  'tenants in an object': {
    compiles: false,
    // @ts-expect-error
    call: () => createTenantKeyProvider({ ours: keys, ofVault: { acme: keys } }),
    clear: 'TypeError: options.ofVault must be a function',
  },
}

const seals: Guesses = {
  'a store for its records': {
    compiles: false,
    // @ts-expect-error
    call: () => createSealer(createMemoryStore(), { keys }),
    clear: 'TypeError: rings.get must be a function',
  },
  'a key for keys': {
    compiles: false,
    // @ts-expect-error
    call: () => createSealer(inner.records, { key }),
    clear: 'TypeError: options.key is unknown, did you mean keys?',
  },
  'a box without await': {
    compiles: false,
    // @ts-expect-error
    call: () => sealer.box('acme').seal(['users', '7', 'key'], 'secret'),
    vague: 'TypeError: sealer.box(...).seal is not a function',
  },
  'a scope that is undefined': {
    compiles: true,
    call: () => sealer.box(notSet),
    clear: 'TypeError: scope must be 1 to 128 printable ASCII characters',
  },
  'an empty scope': {
    compiles: true,
    call: () => sealer.box(''),
    clear: 'TypeError: scope must be 1 to 128 printable ASCII characters',
  },
  'an id of a row that is undefined': {
    compiles: true,
    call: () => column.row(notSet).seal('secret'),
    clear: 'TypeError: place[2] must be text, a safe integer or a bigint',
  },
  'an empty id of a row': {
    compiles: true,
    call: () => column.row('').seal('secret'),
    clear: 'TypeError: place[2] must be text, a safe integer or a bigint',
  },
  'a value without a row': {
    compiles: false,
    // @ts-expect-error
    call: () => column.seal('7', 'secret'),
    clear: 'TypeError: column.seal is not a function',
  },
  'a value that is undefined': {
    compiles: true,
    call: () => column.row('7').seal(notSet),
    clear: 'TypeError: value must be a string',
  },
  'an object for a value': {
    compiles: false,
    // @ts-expect-error
    call: () => column.row('7').seal({ token: 'secret' }),
    clear: 'TypeError: value must be a string',
  },
  'a place and a value that are swapped': {
    compiles: false,
    // @ts-expect-error
    call: () => box.seal('secret', ['users', '7', 'key']),
    clear: 'TypeError: place must be a list of a table, a column and the id of a row',
  },
  'a value that is not sealed': {
    compiles: true,
    call: () => column.row('7').open('secret'),
    clear: 'DecryptionError: the value of users.api_key is not sealed',
  },
  'the row of another value': {
    compiles: true,
    call: () => column.row('8').open(column.row('7').seal('secret')),
    clear:
      'DecryptionError: the value of users.api_key is damaged, or was sealed for another row, place or scope',
  },
  'a row as an object': {
    compiles: false,
    // @ts-expect-error
    call: () => column.row({ id: 7 }).seal('secret'),
    clear: 'TypeError: place[2] must be text, a safe integer or a bigint',
  },
  'one scope for a list': {
    compiles: true,
    call: () => sealer.eraseKeys({ scopes: 'acme' }),
    clear: 'TypeError: options.scopes must be a list of strings',
  },
  'a hint of nothing': {
    compiles: true,
    call: () => hintOf(notSet),
    clear: 'TypeError: value must be a string',
  },
}

/** The guesses of this file, by group. */
export const storesGuesses = { databases, encryption, seals }
