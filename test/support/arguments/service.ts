/** Wrong calls of the functions of `cofferkit`, and of methods of the service. */

import { createCaller, createVaultService } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createMemoryStore } from 'cofferkit/memory'
import { vaultGrants } from 'cofferkit/oauth'
import { vaultSecrets } from 'cofferkit/use'
import {
  notFunctions,
  notOptions,
  notStrings,
  secret,
  type WrongCallsByName,
  wrongService,
  wrongStores,
} from './wrong-call.js'

const store = createMemoryStore()
const service = createVaultService({ store })
const caller = createCaller({ id: 'wendy', vaults: '*' })
const grants = vaultGrants(service, caller)
const keeper = { grants, leases: store.records, refresh: async () => false }
const { parsePatch: _, ...withoutParsePatch } = connectDialect
const agent = createCaller({ id: 'agent', vaults: '*' })
const secrets = vaultSecrets(service, agent)
const notPermissions = [undefined, null, 'read', [], new Map()]
const vaultId = 'v'.repeat(26)
const withCaller = (members: object) => [{ id: 'a', vaults: '*', ...members }]
const useOf = (use: unknown) => withCaller({ vaults: { [vaultId]: 'use' }, use })

export const serviceCalls: WrongCallsByName = {
  createConnectDialect: {
    'options must be an object': [[null], ['OTP'], [[]]],
    'options.otpType must be OTP or TOTP': [
      [{ otpType: 'otp' }],
      [{ otpType: null }],
      [{ otpType: secret }],
    ],
  },
  createVaultService: {
    ...wrongStores('options.store', (value) => [{ store: value }]),
    'options.store must be an object with records, blobs': [[{}]],
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options is an object with records, blobs: pass { store }': [[store]],
    'options.strict must be a boolean': [[{ store, strict: 'true' }]],
    'options.dialect must be an object with name, parseItem, parsePatch, formatItem, fileIds, headers, queryAliases':
      [[{ store, dialect: 'connect' }], [{ store, dialect: null }]],
    'options.dialect.parsePatch must be a function': [[{ store, dialect: withoutParsePatch }]],
    'options.dialect.headers must be an object with any members': [
      [{ store, dialect: { ...connectDialect, headers: null } }],
    ],
    'options.activity must be the result of createActivityLog or another activity log': [
      [{ store, activity: secret }],
      [{ store, activity: () => {} }],
      [{ store, activity: { record: () => {}, entries: () => [] } }],
    ],
    'options.now must be a function': notFunctions.map((now) => [{ store, now }]),
    'options.now().getTime must be a function': [
      [{ store, now: Date.now }],
      [{ store, now: Date }],
    ],
    'options.randomBytes must be a function': notFunctions.map((value) => [
      { store, randomBytes: value },
    ]),
    'options.beforeCreateVault must be a function': notFunctions.map((value) => [
      { store, beforeCreateVault: value },
    ]),
    'options.around must be a function': notFunctions.map((around) => [{ store, around }]),
    'options.validateItem must be a function': notFunctions.map((value) => [
      { store, validateItem: value },
    ]),
  },
  'service.on': {
    'type must be one of vault.created, vault.updated, vault.deleted, item.created, item.updated, item.deleted':
      [[], [null, () => {}], ['nonsense', () => {}], [() => {}]],
    'type and listener are swapped': [[() => {}, 'item.created']],
    'listener must be a function': [
      ['item.created'],
      ...notFunctions.map((listener) => ['item.created', listener]),
    ],
  },
  quoteFilterValue: { 'value must be a string': notStrings.map((value) => [value]) },
  generatePassword: {
    'options must be an object': notOptions.map((value) => [{}, value]),
    'options.randomBytes must be a function': notFunctions.map((randomBytes) => [
      {},
      { randomBytes },
    ]),
  },
  createItemRules: {
    'options must be an object': notOptions.map((value) => [value]),
    'options.caller must be the result of createCaller': [
      [{ caller: null }],
      [{ caller: secret }],
      [{ caller: { id: 'wendy' } }],
    ],
    'options.dialect.parsePatch must be a function': [[{ dialect: withoutParsePatch }]],
    'options.now must be a function': notFunctions.map((now) => [{ now }]),
    'options.randomBytes must be a function': notFunctions.map((value) => [{ randomBytes: value }]),
    'options.validateItem must be a function': notFunctions.map((value) => [
      { validateItem: value },
    ]),
  },
  createReferenceResolver: {
    'service must be an object with as, now': [[], [null], [secret]],
    'service.as must be a function': [[{}]],
    'service and caller are swapped': [[caller, service]],
    'options must be an object': notOptions.map((value) => [service, caller, value]),
    'options.tokens must be an object with accessToken': [
      [service, caller, { tokens: null }],
      [service, caller, { tokens: secret }],
    ],
    'options.tokens.accessToken must be a function': [[service, caller, { tokens: {} }]],
  },
  createTokenKeeper: {
    'options must be an object': notOptions.map((value) => [value]),
    'options is a service: write createTokenKeeper({ grants: vaultGrants(service, caller), leases, refresh })':
      [[service, { leases: store.records, caller, refresh: keeper.refresh }]],
    'options.grants must be an object with key, read, replace': [
      [{ ...keeper, grants: undefined }],
      [{ ...keeper, grants: secret }],
    ],
    'options.grants.key must be a function': [[{ ...keeper, grants: store }]],
    'options.leases must be an object with get, put, delete, list': [
      [{ ...keeper, leases: undefined }],
      [{ ...keeper, leases: secret }],
    ],
    'options.leases.get must be a function': [[{ ...keeper, leases: store }]],
    'options.refresh must be a function': notFunctions.map((refresh) => [{ ...keeper, refresh }]),
    'options.now must be a function': notFunctions.map((now) => [{ ...keeper, now }]),
  },
  vaultGrants: {
    [wrongService]: [[], [null], [secret, caller]],
    'caller must be an object with id, can': [[service], [service, null], [service, secret]],
    'caller.id must be a string': [[service, { caller }]],
    'caller.can must be a function': [[service, { id: 'a' }]],
    'service and caller are swapped': [[caller, service]],
  },
  newGrant: {
    'tokens must be an object': [[], [null], [7]],
    'tokens is a non-empty string: pass { accessToken }': [[secret]],
    'tokens.accessToken must be a non-empty string': [[{}], [{ accessToken: '' }]],
    'tokens.refreshToken must be a non-empty string': [[{ accessToken: 'a', refreshToken: null }]],
    'tokens.expiresInSeconds must be a number from 0 to 2,147,483,647 seconds, or Infinity': [
      [{ accessToken: 'a', expiresInSeconds: secret }],
    ],
    'tokens.expiresAt must be a valid Date': [
      [{ accessToken: 'a', expiresAt: 7 }],
      [{ accessToken: 'a', expiresAt: new Date(Number.NaN) }],
    ],
    'tokens.expiresInSeconds must not be passed together with expiresAt': [
      [{ accessToken: 'a', expiresAt: new Date(), expiresInSeconds: 3600 }],
    ],
    'now must be a valid Date': [
      [{ accessToken: 'a' }, 1],
      [{ accessToken: 'a' }, secret],
    ],
  },
  createCredentials: {
    [wrongService]: [[], [null], [secret]],
    'kinds must be an object with kinds by their names': [
      ...[[service], [service, null], [service, secret], [service, [{ fields: { key: {} } }]]],
    ],
    'each key of kinds must be a name of letters, digits, _, . and -': [
      [service, { [`/${secret}`]: {} }],
    ],
    'kinds.a must be an object': [[service, { a: secret }]],
    'kinds.a.fields must be an object with fields by their ids': [
      [service, { a: { fields: null } }],
      [service, { a: { fields: ['key'] } }],
    ],
    'kinds.a.fields must be an object with at least one field': [[service, { a: { fields: {} } }]],
    'each key of kinds.a.fields must be an id of letters, digits, _ and -': [
      [service, { a: { fields: { 'a.b': {} } } }],
    ],
    'kinds.a.fields.key must be an object': [[service, { a: { fields: { key: secret } } }]],
    'kinds.a.fields.key.secret must be a boolean': [
      [service, { a: { fields: { key: { secret } } } }],
    ],
    'kinds.a.verify must be a function': notFunctions.map((verify) => [
      service,
      { a: { fields: { key: {} }, verify } },
    ]),
    'kinds.a.origins must be a list of origins, such as https://api.example.com, or a function': [
      ...[secret, [secret], {}, null],
    ].map((origins) => [service, { a: { fields: { key: {} }, origins } }]),
    'options must be an object': notOptions.map((value) => [service, {}, value]),
    'options.onVerifyError must be a function': notFunctions.map((onVerifyError) => [
      service,
      {},
      { onVerifyError },
    ]),
    'options.whenUnverified must be save or refuse': [
      ...[null, secret, true].map((whenUnverified) => [service, {}, { whenUnverified }]),
    ],
    'service and kinds are swapped': [[{ a: { fields: { key: {} } } }, service]],
  },
  createRedactor: {
    'values must be an iterable of strings': [
      ...[[], [null], [secret], [7], [{}], [[secret, 7]], [new Map([[secret, secret]])]],
    ],
  },
  createSecretFetch: {
    'secrets must be a function, such as the result of vaultSecrets': [
      ...[[], [null], [secret], [{}], [vaultSecrets]],
    ],
    'secrets is a service: write createSecretFetch(vaultSecrets(service, caller), options)': [
      [service, agent],
    ],
    'secrets and options are swapped': [[{ allow: () => true }, secrets]],
    'options must be an object': notOptions.map((value) => [secrets, value]),
    'options.allow must be a function': notFunctions.map((allow) => [secrets, { allow }]),
    'options.allow is undefined: leave it out if you do not need it': [
      [secrets, { allow: undefined }],
    ],
    'options.placesOf must be a function': notFunctions.map((placesOf) => [secrets, { placesOf }]),
    'options.fetch must be a function': notFunctions.map((fetch) => [secrets, { fetch }]),
    'options.refusal must be response or throw': [[secrets, { refusal: secret }]],
    'options.responses must be masked or none': [[secrets, { responses: secret }]],
    'options.allowLoopbackHttp must be a boolean': [[secrets, { allowLoopbackHttp: secret }]],
    'options.allowShortValues must be a boolean': [[secrets, { allowShortValues: 1 }]],
  },
  isRefusal: {
    'value is a promise: is await missing?': [[Promise.resolve(new Response())]],
  },
  vaultSecrets: {
    [wrongService]: [[], [null], [secret]],
    'caller must be an object with can': [[service], [service, null], [service, secret]],
    'caller.can must be a function': [[service, {}]],
    'service and caller are swapped': [[agent, service]],
    'caller and options are swapped': [[service, {}, agent]],
    'options must be an object': notOptions.map((value) => [service, agent, value]),
    'options.tokens must be an object with accessToken': [
      [service, agent, { tokens: null }],
      [service, agent, { tokens: secret }],
    ],
    'options.tokens.accessToken must be a function': [[service, agent, { tokens: {} }]],
  },
  formatSecretReference: {
    'reference must be an object': [[], ...notOptions.map((value) => [value])],
  },
  createCaller: {
    'options must be an object': [[], ['wendy', '*'], ...notOptions.map((value) => [value])],
    'options.id must be a non-empty string or a whole number': [
      ...[undefined, null, '', {}, 1.5, Number.NaN, 2 ** 53, 7n, true],
    ].map((id) => withCaller({ id })),
    'options.vaults must be * or an object with vault ids as keys': notPermissions.map((vaults) =>
      withCaller({ vaults }),
    ),
    'each key of options.vaults must be a vault id, 26 characters of a-z and 0-9': [
      ...['Team', '*', '', 'V'.repeat(26), 'v'.repeat(25)],
    ].map((key) => withCaller({ vaults: { [key]: 'read' } })),
    'each of options.vaults must be one of read, write, read-write, use': [
      withCaller({ vaults: { [vaultId]: secret } }),
      withCaller({ vaults: { [vaultId]: undefined } }),
    ],
    'options.expiresAt must be a valid Date': [
      ...[null, secret, 7, {}, new Date(Number.NaN)].map((expiresAt) => withCaller({ expiresAt })),
    ],
    'options.expiresAt is undefined: leave it out if you do not need it': [
      withCaller({ expiresAt: undefined }),
    ],
    'options.use must be a list, because of the permission use': [
      withCaller({ vaults: { [vaultId]: 'use' } }),
    ],
    'options.use is undefined: leave it out if you do not need it': [
      withCaller({ use: undefined }),
    ],
    'options.use needs a vault with the permission use': [withCaller({ use: [] })],
    'options.use must be a list of what the caller may use, such as { items, origins, methods, places }':
      [null, secret, {}].map((use) => useOf(use)),
    'options.use[0] must be an object': [useOf([secret]), useOf([null])],
    'options.use[1].items must be a list of ids of items, 26 characters of a-z and 0-9': [
      useOf([{}, { items: 'i'.repeat(26) }]),
    ],
    'options.use[0].items[0] must be one of ids of items, 26 characters of a-z and 0-9': [
      useOf([{ items: [secret] }]),
      useOf([{ items: [7] }]),
    ],
    'options.use[0].items is undefined: leave it out if you do not need it': [
      useOf([{ items: undefined }]),
    ],
    'options.use[0].origins[0] must be one of origins, such as https://api.example.com': [
      ...['api.example.com', 'https://api.example.com/', 'https://a.example/v1', 'null', secret],
    ].map((origin) => useOf([{ origins: [origin] }])),
    'options.use[0].methods[0] must be one of methods in upper case, such as GET': [
      ...['get', '', '*', 'GET POST', null],
    ].map((method) => useOf([{ methods: [method] }])),
    'options.use[0].places[1] must be one of places, such as header:authorization': [
      ...['header:Authorization', 'header:', 'Authorization', '', ':', 7],
    ].map((place) => useOf([{ places: ['query:Key', place] }])),
  },
  createActivityLog: {
    'storage must be an object with record, entries': [[], [null], [secret], [() => {}]],
    'storage.record must be a function': [[{}], [{ entries: () => [] }]],
    'storage.entries must be a function': [[{ record: () => {} }]],
  },
  createMemoryActivityLog: { 'options must be an object': notOptions.map((value) => [value]) },
  createCallbackActivityLog: {
    'record must be a function': [[], ...notFunctions.map((value) => [value])],
  },
  createStoredActivityLog: {
    ...wrongStores('store', (value) => [value]),
    'options must be an object': notOptions.map((value) => [store, value]),
  },
}
