/** Wrong calls of the functions of the stores in databases, and of `composeStore`. */

import { createMemoryStore } from 'cofferkit/memory'
import {
  notFunctions,
  notOptions,
  notStrings,
  secret,
  type WrongCallsByName,
} from './wrong-call.js'

const store = createMemoryStore()
const client = { query() {} }
const mysqlClient = { execute() {} }
const s3Client = { fetch() {} }
const etcd = { endpoints: ['http://localhost:2379'] }

export const databaseCalls: WrongCallsByName = {
  createSqliteStore: {
    'database must be an object with exec, prepare': [[], [null], ['vault.db'], [() => {}]],
    'database.exec must be a function': [[{}]],
    'options must be an object': notOptions.map((value) => [{ exec() {}, prepare() {} }, value]),
  },
  openSqliteStore: {
    'path must be a string': [[], ...notStrings.map((value) => [value])],
    'path must be a file: createMemoryStore writes to none': [[':memory:']],
    'options must be an object': notOptions.map((value) => ['vault.db', value]),
    'options.driver must be a function': notFunctions.map((driver) => ['vault.db', { driver }]),
  },
  createPostgresStore: {
    'client.query must be a function': [[], [null], ['postgres://localhost'], [{}]],
    'options must be an object': notOptions.map((value) => [client, value]),
    'options.prepare must be a boolean': [[client, { prepare: 'true' }]],
    'options.schema must be 1 to 63 letters, digits and underscores': [
      [client, { schema: null }],
      [client, { schema: ['a'] }],
    ],
    'options.tablePrefix must be 1 to 40 letters, digits and underscores': [
      [client, { tablePrefix: 7 }],
    ],
  },
  migratePostgres: {
    'client.query must be a function': [[], [null], [{}]],
    'options must be an object': notOptions.map((value) => [client, value]),
  },
  postgresMigrations: {
    'options must be an object': notOptions.map((value) => [value]),
    'options.engine must be postgresql or cockroachdb': [[{ engine: 'mysql' }], [{ engine: null }]],
    'options.recordsOnly must be a boolean': [[{ recordsOnly: 1 }]],
  },
  createMysqlStore: {
    'client.execute must be a function': [[], [null], ['mysql://localhost'], [{}]],
    'client must be one with promises, such as a pool of mysql2/promise': [
      [{ ...mysqlClient, promise() {} }],
    ],
    'options must be an object': notOptions.map((value) => [mysqlClient, value]),
    'options.database must be 1 to 64 letters, digits and underscores': [
      [mysqlClient, { database: null }],
      [mysqlClient, { database: ['a'] }],
    ],
    'options.tablePrefix must be 1 to 40 letters, digits and underscores': [
      [mysqlClient, { tablePrefix: 7 }],
    ],
  },
  migrateMysql: {
    'client.execute must be a function': [[], [null], [{}]],
    'options must be an object': notOptions.map((value) => [mysqlClient, value]),
  },
  mysqlMigrations: { 'options must be an object': notOptions.map((value) => [value]) },
  createLibsqlStore: {
    'client must be an object with execute, batch': [[], [null], ['file:vault.db'], [() => {}]],
    'client.execute must be a function': [[{}]],
    'client.batch must be a function': [[{ execute() {} }]],
  },
  migrateLibsql: {
    'client must be an object with execute, batch': [[], [null], ['file:vault.db']],
    'client.execute must be a function': [[{}]],
  },
  createS3BlobStore: {
    'client must be an object with fetch': [[], [null], [fetch]],
    'client.fetch must be a function': [[{ send() {} }], [{ fetch: secret }]],
    'options must be an object': [[s3Client], ...notOptions.map((value) => [s3Client, value])],
    'options.url must be an HTTP URL without user, query and fragment': [
      ...[undefined, null, 7, secret, 'ftp://example.com', `https://${secret}@example.com`],
      ...[`https://example.com?a=${secret}`, `https://example.com#${secret}`, 'https://e.com?'],
    ].map((url) => [s3Client, { url }]),
    'options.prefix must be at most 200 letters, digits, -, _ and /': [
      ...[null, 7, 'a b', '../', `${secret}?`, 'a'.repeat(201)],
    ].map((prefix) => [s3Client, { url: 'https://example.com', prefix }]),
  },
  composeStore: {
    'halves must be an object': [[], ...notOptions.map((value) => [value])],
    'halves.records must be an object with get, put, delete, list': [
      [{}],
      [{ blobs: store }],
      [{ records: secret, blobs: store }],
    ],
    'halves.records.get must be a function': [
      [{ records: {}, blobs: store }],
      [{ records: store.blobs, blobs: store }],
    ],
    'halves.blobs must be an object with read, write, delete': [
      [{ records: store }],
      [{ records: store, blobs: null }],
    ],
    'halves.blobs.read must be a function': [
      [{ records: store, blobs: {} }],
      [{ records: store, blobs: store.records }],
    ],
  },
  createEtcdStore: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options.endpoints must be a list of 1 or more origins': [
      [{}],
      [{ endpoints: secret }],
      [{ endpoints: null }],
      [{ endpoints: [] }],
    ],
    'options is a list of 1 or more origins: pass { endpoints }': [[['http://localhost:2379']]],
    'options.endpoints[1] must be an origin, such as https://etcd.example.com:2379': [
      undefined,
      null,
      secret,
      'localhost:2379',
      'http://localhost:2379/v3',
      'http://user:password@localhost:2379',
      'ftp://localhost',
      new URL('http://localhost:2379'),
    ].map((endpoint) => [{ endpoints: ['http://localhost:2379', endpoint] }]),
    'options.prefix must be at most 128 characters of printable ASCII': [
      null,
      7,
      'a\0',
      'ä',
      'x'.repeat(129),
    ].map((prefix) => [{ ...etcd, prefix }]),
    'options.username must be a string': [
      [{ ...etcd, password: secret }],
      [{ ...etcd, username: 7, password: secret }],
    ],
    'options.password must be a string': [[{ ...etcd, username: 'wendy' }]],
    'options.fetch must be a function': notFunctions.map((value) => [{ ...etcd, fetch: value }]),
  },
}
