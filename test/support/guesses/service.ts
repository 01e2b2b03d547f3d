import { createCaller, createVaultService, generatePassword } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { createConnectDialect } from 'cofferkit/connect'
import { createMemoryStore } from 'cofferkit/memory'
import { createTestVault } from 'cofferkit/testing'
import { type Guesses, notSet } from './guess.js'

const store = createMemoryStore()
const { store: stored, caller, vaultId, item } = await createTestVault()
const service = createVaultService({ store: stored, history: { maxVersions: 3 } })
const itemId = item.id
const ref = { vaultId, itemId }
const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
const draft = { category: 'LOGIN', title: 'Router' } as const

async function closedService() {
  const closed = createVaultService({ store })
  await closed.close()
  return closed
}

const services: Guesses = {
  'a store without its options': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService(createMemoryStore()),
    clear: 'TypeError: options is an object with records, blobs: pass { store }',
  },
  'a store that is not created': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store: createMemoryStore }),
    clear: 'TypeError: options.store must be an object with records, blobs',
  },
  'no options': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService(),
    clear: 'TypeError: options must be an object',
  },
  'a store without await': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store: Promise.resolve(store) }),
    clear: 'TypeError: options.store is a promise: is await missing?',
  },
  'an option of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, encryptionKey: 'abc' }),
    clear: 'TypeError: options.encryptionKey is unknown',
  },
  'history as a number': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, history: 10 }),
    clear: 'TypeError: options.history is a whole number of 0 or more: pass { maxVersions }',
  },
  'a limit as text': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, limits: { itemBytes: '1mb' } }),
    clear: 'TypeError: options.limits.itemBytes must be a whole number of 0 or more',
  },
  'a time for a clock': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, now: new Date() }),
    clear: 'TypeError: options.now must be a function',
  },
  'a clock in milliseconds': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, now: Date.now }).createVault(caller, { name: 'Home' }),
    clear: 'TypeError: options.now().getTime must be a function',
  },
  'a timeout in seconds': {
    compiles: true,
    call: () => {
      const slow = { ...store.records, get: () => new Promise<undefined>(() => {}) }
      const slowStore = { records: slow, blobs: store.blobs }
      return createVaultService({ store: slowStore, storeTimeoutMs: 5 }).getVault(caller, {
        vaultId,
      })
    },
    vague: 'StorageUnavailableError: the store did not respond in time',
  },
  'an around that does not call next': {
    compiles: true,
    call: () => createVaultService({ store, around: async () => {} }).listVaults(caller),
    clear: 'RuleError: around must call next or throw',
  },
  'a validateItem that is asynchronous': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createVaultService({ store: stored, validateItem: async () => {} }).createItem(caller, {
        vaultId,
        item: draft,
      }),
    clear: 'RuleError: validateItem must be synchronous and return nothing',
  },
  'a dialect by its name': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, dialect: 'connect' }),
    clear:
      'TypeError: options.dialect must be an object with name, parseItem, parsePatch, formatItem, fileIds, headers, queryAliases',
  },
  'a dialect that is not created': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, dialect: createConnectDialect }),
    clear:
      'TypeError: options.dialect must be an object with name, parseItem, parsePatch, formatItem, fileIds, headers, queryAliases',
  },
  'a log that is not created': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, activity: createMemoryActivityLog }),
    clear:
      'TypeError: options.activity must be the result of createActivityLog or another activity log',
  },
  'a log that is an array': {
    compiles: false,
    // @ts-expect-error
    call: () => createVaultService({ store, activity: [] }),
    clear:
      'TypeError: options.activity must be the result of createActivityLog or another activity log',
  },
  'a call after close': {
    compiles: true,
    call: async () => (await closedService()).listVaults(caller),
    clear: 'StorageUnavailableError: the service is closed',
  },
  'a second close': {
    compiles: true,
    call: async () => (await closedService()).close(),
    meant: { page: 'docs/calls.md', says: 'You can call `close` more than once.' },
  },
  'an event that does not exist': {
    compiles: false,
    // @ts-expect-error
    call: () => service.on('item.added', () => {}),
    clear:
      'TypeError: type must be one of vault.created, vault.updated, vault.deleted, item.created, item.updated, item.deleted',
  },
  'a listener without an event': {
    compiles: false,
    // @ts-expect-error
    call: () => service.on(() => {}),
    clear:
      'TypeError: type must be one of vault.created, vault.updated, vault.deleted, item.created, item.updated, item.deleted',
  },
  'a transaction on a store in memory': {
    compiles: true,
    call: () => service.inTransaction({ query: async () => ({ rows: [] }) }).listVaults(caller),
    clear: 'TypeError: the store cannot take part in transactions of the application',
  },
  'a transaction as a callback': {
    compiles: false,
    // @ts-expect-error
    call: () => service.inTransaction(async () => {}),
    clear: 'TypeError: the store cannot take part in transactions of the application',
  },
}

const callers: Guesses = {
  positions: {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller('wendy', '*'),
    clear: 'TypeError: options must be an object',
  },
  'no vaults': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy' }),
    clear: 'TypeError: options.vaults must be * or an object with vault ids as keys',
  },
  'a permission instead of vaults': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: 'read' }),
    clear: 'TypeError: options.vaults must be * or an object with vault ids as keys',
  },
  'a list of vaults': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: [vaultId] }),
    clear: 'TypeError: options.vaults must be * or an object with vault ids as keys',
  },
  'a list of permissions': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: { [vaultId]: ['read', 'write'] } }),
    clear: 'TypeError: each of options.vaults must be one of read, write, read-write, use',
  },
  'a role': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: { [vaultId]: 'admin' } }),
    clear: 'TypeError: each of options.vaults must be one of read, write, read-write, use',
  },
  'a vault by its name': {
    compiles: true,
    call: () => createCaller({ id: 'wendy', vaults: { Home: 'read' } }),
    clear: 'TypeError: each key of options.vaults must be a vault id, 26 characters of a-z and 0-9',
  },
  'a vault that is undefined': {
    compiles: true,
    call: () => createCaller({ id: 'wendy', vaults: { [notSet]: 'read' } }),
    clear: 'TypeError: each key of options.vaults must be a vault id, 26 characters of a-z and 0-9',
  },
  'an id that is undefined': {
    compiles: true,
    call: () => createCaller({ id: notSet, vaults: '*' }),
    clear: 'TypeError: options.id must be a non-empty string or a whole number',
  },
  'an empty id': {
    compiles: true,
    call: () => createCaller({ id: '', vaults: '*' }),
    clear: 'TypeError: options.id must be a non-empty string or a whole number',
  },
  'an end as text': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: '*', expiresAt: '2030-01-01' }),
    clear: 'TypeError: options.expiresAt must be a valid Date',
  },
  'an end in milliseconds': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: '*', expiresAt: Date.now() + 60_000 }),
    clear: 'TypeError: options.expiresAt must be a valid Date',
  },
  'an end that is no date': {
    compiles: true,
    call: () => createCaller({ id: 'wendy', vaults: '*', expiresAt: new Date(notSet) }),
    clear: 'TypeError: options.expiresAt must be a valid Date',
  },
  'an end by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: '*', expires: new Date() }),
    clear: 'TypeError: options.expires is unknown, did you mean expiresAt?',
  },
  'uses that are no list': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createCaller({ id: 'wendy', vaults: '*', use: { origins: ['https://api.stripe.com'] } }),
    clear:
      'TypeError: options.use must be a list of what the caller may use, such as { items, origins, methods, places }',
  },
  'a use by its host': {
    compiles: true,
    call: () => createCaller({ id: 'wendy', vaults: '*', use: [{ origins: ['api.stripe.com'] }] }),
    clear:
      'TypeError: options.use[0].origins[0] must be one of origins, such as https://api.example.com',
  },
  'a use with one origin': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createCaller({ id: 'wendy', vaults: '*', use: [{ origin: 'https://api.stripe.com' }] }),
    clear: 'TypeError: options.use[0].origin is unknown, did you mean origins?',
  },
  'the option createVault': {
    compiles: false,
    // @ts-expect-error
    call: () => createCaller({ id: 'wendy', vaults: '*', createVault: true }),
    clear: 'TypeError: options.createVault is unknown, did you mean createVaults?',
  },
}

const operations: Guesses = {
  'no caller': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem(ref),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'an undefined caller': {
    compiles: true,
    call: () => service.getItem(undefined, ref),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'ids by position': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem(caller, vaultId, itemId),
    clear: 'InvalidInputError: the input must be an object',
  },
  'the name of a user': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem('wendy', ref),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'a user of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem({ userId: 'wendy', roles: ['admin'] }, ref),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'the caller twice': {
    compiles: false,
    // @ts-expect-error
    call: () => service.as(caller).getItem(caller, ref),
    clear: 'InvalidInputError: the input is a caller: pass the caller once, first or to as',
  },
  'a number as an id': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem(caller, { vaultId, itemId: 7 }),
    clear: 'InvalidInputError: itemId must be an id: 26 characters of a-z and 0-9',
  },
  'an id by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem(caller, { vaultId, id: itemId }),
    clear: 'InvalidInputError: itemId must be an id: 26 characters of a-z and 0-9',
  },
  'ids that are swapped': {
    compiles: true,
    call: () => service.getItem(caller, { vaultId: itemId, itemId: vaultId }),
    clear: 'NotFoundError: vault 1gn5uny2hpwngiimh6j4rdbfya not found',
  },
  'an id that is undefined': {
    compiles: true,
    call: () => service.getItem(caller, { vaultId, itemId: notSet }),
    clear: 'InvalidInputError: itemId must be an id: 26 characters of a-z and 0-9',
  },
  'an id without await': {
    compiles: false,
    call: () =>
      service.getItem(caller, {
        vaultId,
        // @ts-expect-error
        itemId: service.createItem(caller, { vaultId, item: draft }).id,
      }),
    clear: 'InvalidInputError: itemId must be an id: 26 characters of a-z and 0-9',
  },
  'a promise for an id': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItem(caller, { vaultId, itemId: Promise.resolve(itemId) }),
    clear: 'InvalidInputError: itemId is a promise: is await missing?',
  },
  'the title of an item for its id': {
    compiles: true,
    call: () => service.getItem(caller, { vaultId, itemId: 'Router' }),
    clear: 'InvalidInputError: itemId must be an id: 26 characters of a-z and 0-9',
  },
  'a version by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => service.deleteItem(caller, { ...ref, expectedVersion: 9 }),
    clear: 'InvalidInputError: expectedVersion: unknown, did you mean ifVersion?',
  },
  'a version as text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.deleteItem(caller, { ...ref, ifVersion: '9' }),
    clear: 'InvalidInputError: ifVersion must be a number',
  },
  'a version among the options': {
    compiles: false,
    // @ts-expect-error
    call: () => service.deleteItem(caller, ref, { ifVersion: 9 }),
    clear: 'InvalidInputError: options/ifVersion: unknown, put it into the input',
  },
  'a version that is undefined': {
    compiles: true,
    call: () => service.patchItem(caller, { ...ref, patch: [], ifVersion: notSet }),
    meant: {
      page: 'docs/patching.md',
      says: 'If it is undefined, as in a variable that you have not set, the change applies to any version.',
    },
  },
  'an item for a vault': {
    compiles: true,
    call: () => service.deleteVault(caller, ref),
    clear: 'InvalidInputError: itemId: unknown',
  },
  'only an id': {
    compiles: false,
    // @ts-expect-error
    call: () => service.deleteVault(caller, vaultId),
    clear: 'InvalidInputError: the input must be an object',
  },
  'a vault by its name alone': {
    compiles: false,
    // @ts-expect-error
    call: () => service.createVault(caller, 'Home'),
    clear: 'InvalidInputError: the input must be an object',
  },
  'a vault with a title': {
    compiles: false,
    // @ts-expect-error
    call: () => service.createVault(caller, { title: 'Home' }),
    clear: 'InvalidInputError: title: unknown, did you mean name?',
  },
  'a vault with an empty name': {
    compiles: true,
    call: () => service.createVault(caller, { name: '' }),
    clear: 'InvalidInputError: name must be at least 1 characters long',
  },
  'a change in an object': {
    compiles: false,
    // @ts-expect-error
    call: () => service.updateVault(caller, { vaultId, vault: { name: 'Home' } }),
    clear: 'InvalidInputError: vault: unknown, did you mean vaultId?',
  },
  'a change by a reader': {
    compiles: true,
    call: () => service.updateVault(reader, { vaultId, name: 'Home' }),
    clear: 'ForbiddenError: vault 8qqajlmzc5ndch3qeacjas76vs is not in scope for writing',
  },
  'a garbage collection in seconds': {
    compiles: true,
    call: () => service.collectGarbage(caller, { vaultId, minAgeMs: 3600 }),
    clear: 'InvalidInputError: minAgeMs must be at least 60000',
  },
  'an object for a patch': {
    compiles: false,
    // @ts-expect-error
    call: () => service.patchItem(caller, { ...ref, patch: { title: 'New' } }),
    clear: 'InvalidInputError: patch must be an array',
  },
  'a patch as text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.patchItem(caller, { ...ref, patch: '[{"op":"remove","path":"/title"}]' }),
    clear: 'InvalidInputError: patch must be an array',
  },
  'a path without a slash': {
    compiles: true,
    call: () =>
      service.patchItem(caller, {
        ...ref,
        patch: [{ op: 'replace', path: 'title', value: 'New' }],
      }),
    clear: 'InvalidInputError: operation 0: is not a JSON Pointer, such as /title',
  },
  'an operation of a patch that does not exist': {
    compiles: false,
    call: () =>
      service.patchItem(caller, {
        ...ref,
        // @ts-expect-error
        patch: [{ op: 'update', path: '/title', value: 'New' }],
      }),
    clear:
      'InvalidInputError: operation 0 ("/title"): 0/op must be one of "add", "remove", "replace"',
  },
  'a path of a field that is not there': {
    compiles: true,
    call: () =>
      service.patchItem(caller, {
        ...ref,
        patch: [{ op: 'replace', path: '/fields/passwrod/value', value: 'New' }],
      }),
    clear:
      'InvalidInputError: operation 0 ("/fields/passwrod/value"): The item doesn\'t have a passwrod field.',
  },
  'a patch whose value is undefined': {
    compiles: true,
    call: () =>
      service.patchItem(caller, {
        ...ref,
        patch: [{ op: 'replace', path: '/title', value: notSet }],
      }),
    clear: 'InvalidInputError: operation 0 ("/title"): needs a value',
  },
  'an item without its wrapper': {
    compiles: false,
    // @ts-expect-error
    call: () => service.createItem(caller, { vaultId, ...draft }),
    clear:
      'InvalidInputError: category: unknown, put it into item; title: unknown, put it into item',
  },
  'a category in lower case': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.createItem(caller, { vaultId, item: { category: 'login', title: 'Router' } }),
    vague: 'InvalidInputError: Invalid item category',
  },
  'the id of a vault for a reference': {
    compiles: false,
    // @ts-expect-error
    call: () => service.createItem(caller, { vaultId, item: { ...draft, vault: vaultId } }),
    clear: 'InvalidInputError: vault must be an object',
  },
  'fields in an object': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.createItem(caller, { vaultId, item: { ...draft, fields: { password: 'x' } } }),
    clear: 'InvalidInputError: fields must be an array',
  },
  'a field without an id': {
    compiles: false,
    call: () =>
      service.createItem(caller, {
        vaultId,
        // @ts-expect-error
        item: { ...draft, fields: [{ label: 'password', value: 'x' }] },
      }),
    clear: 'InvalidInputError: fields/0/id must be a string',
  },
  'a number as a value': {
    compiles: false,
    call: () =>
      service.createItem(caller, {
        vaultId,
        // @ts-expect-error
        item: { ...draft, fields: [{ id: 'pin', value: 1234 }] },
      }),
    clear: 'InvalidInputError: fields/0/value must be a string',
  },
  'a type that does not exist': {
    compiles: true,
    call: () =>
      service.createItem(caller, {
        vaultId,
        item: { ...draft, fields: [{ id: 'password', type: 'PASSWORD', value: 'x' }] },
      }),
    clear:
      'InvalidInputError: fields/0/type must be one of "STRING", "EMAIL", "CONCEALED", "URL", "TOTP", "DATE", "MONTH_YEAR", "MENU"',
  },
  'a value that is undefined': {
    compiles: true,
    call: () =>
      service.createItem(caller, {
        vaultId,
        item: { ...draft, fields: [{ id: 'key', value: notSet }] },
      }),
    meant: { page: 'docs/calls.md', says: 'a field whose `value` is undefined has no value' },
  },
  'URLs as text': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.createItem(caller, { vaultId, item: { ...draft, urls: ['https://example.com'] } }),
    clear: 'InvalidInputError: urls/0 must be an object',
  },
  'tags in one text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.createItem(caller, { vaultId, item: { ...draft, tags: 'a,b' } }),
    clear: 'InvalidInputError: tags must be an array',
  },
  'an item with a name': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.createItem(caller, { vaultId, item: { category: 'LOGIN', name: 'Router' } }),
    meant: { page: 'docs/calls.md', says: '**The body of an item is not checked.**' },
  },
  'a replacement with a part of the item': {
    compiles: false,
    // @ts-expect-error
    call: () => service.replaceItem(caller, { ...ref, item: { title: 'New' } }),
    vague: 'InvalidInputError: Invalid item category',
  },
  'a state in lower case': {
    compiles: false,
    // @ts-expect-error
    call: () => service.setItemState(caller, { ...ref, state: 'archived' }),
    clear: 'InvalidInputError: state must be one of "ACTIVE", "ARCHIVED", "DELETED"',
  },
  'a filter as an object': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller, { vaultId, filter: { title: 'Router' } }),
    clear: 'InvalidInputError: filter must be a string',
  },
  'a filter that is a word': {
    compiles: true,
    call: () => service.listItems(caller, { vaultId, filter: 'Router' }),
    clear:
      'InvalidInputError: filter must compare one of the attributes title, name, tag, tags, category, state, favorite, urls, urls.href, createdAt, updatedAt, lastEditedBy, version at character 1',
  },
  'a filter in SQL': {
    compiles: true,
    call: () => service.listItems(caller, { vaultId, filter: "title = 'Router'" }),
    clear:
      'InvalidInputError: filter must have one of the operators eq, ne, co, sw, ew, gt, ge, lt, le or pr at character 7',
  },
  'an offset': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller, { vaultId, limit: 10, offset: 10 }),
    clear: 'InvalidInputError: offset: unknown',
  },
  'a limit that is text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller, { vaultId, limit: '10' }),
    clear: 'InvalidInputError: limit must be a number',
  },
  'an order of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller, { vaultId, sortOrder: 'desc' }),
    clear: 'InvalidInputError: sortOrder must be one of "ascending", "descending"',
  },
  'items without a vault': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller),
    clear: 'InvalidInputError: vaultId must be an id: 26 characters of a-z and 0-9',
  },
  'one id for a list': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getItems(caller, { vaultId, itemIds: itemId }),
    clear: 'InvalidInputError: itemIds must be an array',
  },
  'a field by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => service.getField(caller, { ...ref, fieldId: 'password' }),
    clear: 'InvalidInputError: fieldId: unknown, did you mean field?',
  },
  'a field that is not there': {
    compiles: true,
    call: () => service.getField(caller, { ...ref, field: 'passwrod' }),
    clear: 'NotFoundError: field passwrod not found',
  },
  'a use without permission': {
    compiles: true,
    call: () =>
      service.useField(createCaller({ id: 'agent', vaults: { [vaultId]: 'write' } }), {
        ...ref,
        field: 'password',
        use: { origin: 'https://example.com', method: 'GET' },
      }),
    clear: 'ForbiddenError: vault 8qqajlmzc5ndch3qeacjas76vs is not in scope for using',
  },
  'a use with a URL': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.useField(caller, { ...ref, field: 'password', use: { url: 'https://example.com' } }),
    clear: 'InvalidInputError: use/url: unknown',
  },
  'a use with a host': {
    compiles: true,
    call: () =>
      service.useField(caller, {
        ...ref,
        field: 'password',
        use: { origin: 'example.com', method: 'GET' },
      }),
    clear: 'InvalidInputError: use/origin must be the origin of a URL',
  },
  'a field to regenerate by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => service.regenerateField(caller, { ...ref, field: 'password' }),
    clear: 'InvalidInputError: field: unknown, did you mean fieldId?',
  },
  'a recipe of another library': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.regenerateField(caller, { ...ref, fieldId: 'password', recipe: { symbols: true } }),
    clear: 'InvalidInputError: recipe/symbols: unknown',
  },
  'a file that is text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.attachFile(caller, { ...ref, name: 'a.txt', content: 'text' }),
    clear: 'InvalidInputError: content must be bytes or a stream of bytes',
  },
  'a file without await': {
    compiles: false,
    call: () =>
      service.attachFile(caller, {
        ...ref,
        name: 'a.txt',
        // @ts-expect-error
        content: Promise.resolve(new Uint8Array()),
      }),
    clear: 'InvalidInputError: content must be bytes or a stream of bytes',
  },
  'a file that is an ArrayBuffer': {
    compiles: false,
    // @ts-expect-error
    call: () => service.attachFile(caller, { ...ref, name: 'a.txt', content: new ArrayBuffer(4) }),
    clear: 'InvalidInputError: content must be bytes or a stream of bytes',
  },
  'a file that is a Blob': {
    compiles: false,
    // @ts-expect-error
    call: () => service.attachFile(caller, { ...ref, name: 'a.txt', content: new Blob(['text']) }),
    clear: 'InvalidInputError: content must be bytes or a stream of bytes',
  },
  'a file with filename': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      service.attachFile(caller, { ...ref, filename: 'a.txt', content: new Uint8Array() }),
    clear: 'InvalidInputError: filename: unknown, did you mean name?',
  },
  'a version of an item as text': {
    compiles: false,
    // @ts-expect-error
    call: () => service.restoreVersion(caller, { ...ref, version: '1' }),
    clear: 'InvalidInputError: version must be a number',
  },
}

const passwords: Guesses = {
  'a length without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => generatePassword(32),
    clear: 'InvalidInputError: recipe must be an object, such as { length: 32 }',
  },
  'a character set of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => generatePassword({ characterSets: ['UPPERCASE'] }),
    clear: 'InvalidInputError: characterSets/0 must be one of "LETTERS", "DIGITS", "SYMBOLS"',
  },
  'a length as text': {
    compiles: false,
    // @ts-expect-error
    call: () => generatePassword({ length: '32' }),
    clear: 'InvalidInputError: length must be a number',
  },
  'the option numbers': {
    compiles: false,
    // @ts-expect-error
    call: () => generatePassword({ length: 32, numbers: true }),
    clear: 'InvalidInputError: numbers: unknown',
  },
}

/** The guesses of this file, by group. */
export const serviceGuesses = { services, callers, operations, passwords }
