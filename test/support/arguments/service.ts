/** Wrong calls of the functions of `cofferkit`, and of methods of the service. */

import { connectDialect } from 'cofferkit/connect'
import { createMemoryStore } from 'cofferkit/memory'
import {
  notFunctions,
  notOptions,
  notStrings,
  secret,
  type WrongCallsByName,
  wrongStores,
} from './wrong-call.js'

const store = createMemoryStore()
const { parsePatch: _, ...withoutParsePatch } = connectDialect
const notPermissions = [undefined, null, 'read', [], new Map(), Promise.resolve('*')]

export const serviceCalls: WrongCallsByName = {
  createVaultService: {
    ...wrongStores('options.store', (value) => [{ store: value }]),
    'options.store must be an object with records, blobs': [[], [null], [secret], [store], [{}]],
    'options.dialect must be an object with name, parseItem, parsePatch, formatItem, fileIds, headers, queryAliases':
      [[{ store, dialect: 'connect' }], [{ store, dialect: null }]],
    'options.dialect.parsePatch must be a function': [[{ store, dialect: withoutParsePatch }]],
    'options.dialect.headers must be an object with any members': [
      [{ store, dialect: { ...connectDialect, headers: null } }],
    ],
    'options.activity must be an object with record, entries': [
      [{ store, activity: secret }],
      [{ store, activity: () => {} }],
    ],
    'options.activity.record must be a function': [[{ store, activity: Promise.resolve({}) }]],
    'options.now must be a function': notFunctions.map((now) => [{ store, now }]),
    'options.now().getTime must be a function': [
      [{ store, now: Date.now }],
      [{ store, now: Date }],
    ],
    'options.randomBytes must be a function': notFunctions.map((value) => [
      { store, randomBytes: value },
    ]),
  },
  'service.on': {
    'type must be one of vault.created, vault.updated, vault.deleted, item.created, item.updated, item.deleted':
      [[], [null, () => {}], ['nonsense', () => {}], [() => {}]],
    'listener must be a function': [
      ['item.created'],
      ...notFunctions.map((listener) => ['item.created', listener]),
    ],
  },
  createCaller: {
    'id must be a non-empty string': [[], ...[...notStrings, ''].map((id) => [id, '*'])],
    'permissions must be * or an object with vault ids as keys': notPermissions.map((value) => [
      'a',
      value,
    ]),
    'each of permissions must be read, write or read-write': [
      ['a', { ['v'.repeat(26)]: secret }],
      ['a', { ['v'.repeat(26)]: undefined }],
    ],
  },
  createMemoryActivityLog: { 'options must be an object': notOptions.map((value) => [value]) },
  createCallbackActivityLog: {
    'record must be a function': [[], ...notFunctions.map((value) => [value])],
  },
  createStoredActivityLog: {
    ...wrongStores('store', (value) => [value]),
    'options must be an object': notOptions.map((value) => [store, value]),
  },
  formatFilter: { 'filter must be an object': [[], ...notOptions.map((value) => [value])] },
}
