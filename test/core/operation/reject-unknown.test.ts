import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/core/operations.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import type {
  InvalidInputError,
  ItemDraft,
  MethodName,
  PatchOperation,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { loginDraft } from '../../support/drafts.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { exampleInput, toCallRef } from '../../support/service/operation-examples.js'
import { invalid } from '../../support/service/rejections.js'
import { anyClient, createJoinableStore } from '../../support/stores/joinable-store.js'
import { readRecords } from '../../support/stores/stores.js'

const secret = 'SECRET-b7f3'

/** Calls `createItem` with these attributes of a login. */
function create(vault: TestVault, attributes: object): Promise<unknown> {
  const { service, caller, vaultId } = vault
  const item = { ...loginDraft(vaultId), ...attributes } as ItemDraft
  return service.createItem(caller, { vaultId, item })
}

function patch({ service, caller, ...vault }: TestVault, operations: unknown): Promise<unknown> {
  const ref = itemRef(vault)
  return service.patchItem(caller, { ...ref, patch: operations as PatchOperation[] })
}

/** The message of the error; fails if the call succeeds or changes a record. */
async function messageOf(
  vault: TestVault,
  call: (vault: TestVault) => Promise<unknown>,
): Promise<string> {
  const before = await readRecords(vault.store, vault.vaultId)
  const error = await call(vault).then(
    () => expect.fail('it was resolved'),
    (reason: unknown) => reason as InvalidInputError,
  )
  expect(error).toMatchObject(invalid())
  expect(await readRecords(vault.store, vault.vaultId)).toEqual(before)
  return error.message
}

describe('rejectUnknown', () => {
  it.each<[object, string]>([
    [{ fields: [{ id: 'f', vaule: secret }] }, 'fields/0/vaule: unknown, did you mean value?'],
    [{ titel: secret }, 'titel: unknown, did you mean title?'],
    [{ Title: secret }, 'Title: unknown, did you mean title?'],
    [{ url: [] }, 'url: unknown, did you mean urls?'],
    [{ favourite: true }, 'favourite: unknown, did you mean favorite?'],
    [{ password: secret }, 'password: unknown'],
    [{ urls: [{ herf: secret }] }, 'urls/0/herf: unknown, did you mean href?'],
    [{ sections: [{ id: 'a', lable: 'A' }] }, 'sections/0/lable: unknown, did you mean label?'],
    [{ files: [{ id: 'a', nmae: 'A' }] }, 'files/0/nmae: unknown, did you mean name?'],
    [
      { files: [{ id: 'a', content: undefined }, { content: 'aGVsbG8=' }] },
      'files/1/content: would not be stored: use attachFile',
    ],
    [
      { fields: [{ id: 'a' }, { id: 'f', generate: true, recipe: { lenght: 8 } }] },
      'fields/1/recipe/lenght: unknown, did you mean length?',
    ],
    [
      { fields: [{ id: 'f', section: { idd: 'more' }, totp: secret }], trashed: null },
      'fields/0/section/idd: unknown, did you mean id?; fields/0/totp: unknown; trashed: unknown',
    ],
  ])('names the unknown paths of an item with %j', async (attributes, message) => {
    expect(await messageOf(await createTestVault(), (vault) => create(vault, attributes))).toBe(
      message,
    )
  })

  it('rejects unknown attributes when an item is replaced', async () => {
    const replace = ({ service, caller, ...vault }: TestVault): Promise<unknown> => {
      const item = { ...loginDraft(vault.vaultId), tag: ['a'] }
      return service.replaceItem(caller, { ...itemRef(vault), item })
    }
    const message = await messageOf(await createTestVault(), replace)
    expect(message).toBe('tag: unknown, did you mean tags?')
  })

  it('lists all issues with their paths', async () => {
    const call = create(await createTestVault(), { titel: secret, fields: [{ id: 'f', x: 1 }] })
    await expect(call).rejects.toMatchObject({
      issues: [
        { path: 'fields/0/x', message: 'unknown' },
        { path: 'titel', message: 'unknown, did you mean title?' },
      ],
    })
  })

  it.each<[{ readonly path: string; readonly value: unknown; readonly vaule?: string }, string]>([
    [{ path: '/fields/-', value: { vaule: 'a' } }, '0/value/vaule: unknown, did you mean value?'],
    [{ path: '/fields', value: { lable: 'a' } }, '0/value/lable: unknown, did you mean label?'],
    [{ path: '/fields', value: [{ id: 'a', x: 1 }] }, '0/value/0/x: unknown'],
    [{ path: '/fields/pin', value: { vaule: 'a' } }, '0/value/vaule: unknown, did you mean value?'],
    [
      { path: '/fields/pin/recipe', value: { len: 8, lenght: 8 } },
      '0/value/len: unknown; 0/value/lenght: unknown, did you mean length?',
    ],
    [{ path: '/sections/-', value: { id: 'a', name: 'b' } }, '0/value/name: unknown'],
    [
      { path: '', value: { category: 'LOGIN', titel: 'a' } },
      '0/value/titel: unknown, did you mean title?',
    ],
    [{ path: '/', value: { fields: [{ id: 'a', x: 1 }] } }, '0/value/fields/0/x: unknown'],
    [{ path: '/title', value: 'a', vaule: 'b' }, '0/vaule: unknown, did you mean value?'],
  ])('names the unknown paths of a patch with %j', async (operation, message) => {
    const operations = [{ op: 'add', ...operation }]
    for (const dialect of [undefined, connectDialect]) {
      const vault = await createTestVault({ strict: true, ...(dialect && { dialect }) })
      expect(await messageOf(vault, (one) => patch(one, operations))).toBe(
        `operation 0 ("${operation.path}"): ${message}`,
      )
    }
  })

  it.each<[unknown, string]>([
    [[{ op: 'add', path: '/nope', value: { x: 1 } }], 'operation 0 ("/nope"): is not a patchable'],
    [[{ op: 'add', path: 5, value: { x: 1 } }], '0/path must be a string'],
    [
      [{ op: 'add', path: '/fields/pin/label', value: { x: 1 } }],
      'fields/2/label must be a string',
    ],
    [[{ op: 'add', path: '/tags', value: { x: 1 } }], 'tags must be a'],
    [['x', null], '0 must be an object'],
    ['x', 'must be a'],
  ])('leaves the invalid patch %j to its schema', async (operations, message) => {
    expect(await messageOf(await createTestVault(), (vault) => patch(vault, operations))).toContain(
      message,
    )
  })

  it.each<[string, object, string]>([
    ['updateVault', { nmae: 'x' }, 'nmae: unknown, did you mean name?'],
    ['setItemState', { stat: 'ARCHIVED' }, 'stat: unknown, did you mean state?'],
    ['listItems', { filtre: 'x' }, 'filtre: unknown, did you mean filter?'],
    ['getItem', { version: 1 }, 'version: unknown'],
    ['listVaults', { limits: 1 }, 'limits: unknown, did you mean limit?'],
    ['regenerateField', { recipie: {} }, 'recipie: unknown, did you mean recipe?'],
    [
      'regenerateField',
      { recipe: { lengths: 1 } },
      'recipe/lengths: unknown, did you mean length?',
    ],
    ['patchItem', { patchs: [] }, 'patchs: unknown, did you mean patch?'],
  ])('rejects unknown members of the input of %s', async (name, members, message) => {
    const call = ({ service, caller, ...vault }: TestVault): Promise<unknown> => {
      const input = name === 'listVaults' ? members : { ...itemRef(vault), ...members }
      return Reflect.get(service, name)(caller, input)
    }
    expect(await messageOf(await createTestVault(), call)).toContain(message)
  })

  it('checks the caller, the ids and the permissions first', async () => {
    const vault = await createTestVault()
    const input = { vaultId: vault.vaultId, nope: 1 }
    await expect(vault.service.getVault(undefined, input)).rejects.toMatchObject({ status: 401 })
    const none = { id: 'nobody', can: () => false }
    await expect(vault.service.getVault(none, input)).rejects.toMatchObject({ status: 403 })
    await expect(
      vault.service.getVault(vault.caller, { ...input, vaultId: 'x' }),
    ).rejects.toMatchObject(invalid('vaultId must be an id: 26 characters of a-z and 0-9'))
  })

  it('shortens a name, replaces its odd characters and lists at most 20', async () => {
    const vault = await createTestVault()
    const odd = { 'a b\n"<é>': secret, [`x${'y'.repeat(100)}`]: secret }
    expect(await messageOf(vault, (one) => create(one, odd))).toBe(
      `a?b?????: unknown; x${'y'.repeat(63)}: unknown`,
    )
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`_${index}`, secret]),
    )
    const message = await messageOf(vault, (one) => create(one, many))
    expect(message.split('; ')).toHaveLength(20)
    expect(message).not.toContain(secret)
  })

  it('accepts an item as it was returned, a whole vault and undefined members', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const item = await getCurrentItem(vault)
    const replaced = await service.replaceItem(caller, { ...itemRef(vault), item })
    expect(replaced).toMatchObject({ version: 4, fields: item.fields })
    const whole = await service.getVault(caller, { vaultId })
    const draft = { ...loginDraft(vaultId), vault: whole, later: undefined }
    expect((await service.createItem(caller, { vaultId, item: draft })).vault).toEqual({
      id: vaultId,
    })
  })

  it.each([undefined, false])('ignores unknown names when strict is %j', async (strict) => {
    const vault = await createTestVault(strict === undefined ? { strict: false } : { strict })
    expect(await create(vault, { titel: 'a' })).not.toHaveProperty('titel')
    await patch(vault, [{ op: 'add', path: '/fields/-', value: { vaule: 'a', from: '' } }])
  })

  it('is off in a test vault with another dialect, whose clients send unknown attributes', async () => {
    const vault = await createTestVault({ dialect: connectDialect })
    expect(await create(vault, { trashed: 'N' })).not.toHaveProperty('trashed')
  })
})

describe('rejectUnknownInCall', () => {
  /** Calls an operation of a vault that is not strict. */
  async function messageOfCall(name: string, input: object, options?: unknown): Promise<string> {
    const vault = await createTestVault({ strict: false })
    const { vaultId } = vault
    const ids = { createVault: {}, createItem: { vaultId }, listItems: { vaultId } }
    const ref: object = Reflect.get(ids, name) ?? itemRef(vault)
    return messageOf(vault, ({ service, caller }) =>
      Reflect.get(service, name)(caller, { ...ref, ...input }, options),
    )
  }

  it.each<[string, object, string]>([
    ['deleteItem', { expectedVersion: 9 }, 'expectedVersion: unknown, did you mean ifVersion?'],
    ['deleteItem', { ifVerson: 9 }, 'ifVerson: unknown, did you mean ifVersion?'],
    ['deleteItem', { ifVersion: 3, version: 3 }, 'version: unknown'],
    ['deleteItem', { fileId: 'f'.repeat(26) }, 'fileId: unknown'],
    ['deleteItem', { id: 'a'.repeat(26) }, 'id: unknown'],
    ['getItem', { fileId: 'f'.repeat(26) }, 'fileId: unknown'],
    ['getItem', { onUnreadable: () => {} }, 'onUnreadable: unknown, put it into the options'],
    ['getField', { fieldId: 'pin' }, 'fieldId: unknown, did you mean field?'],
    ['getField', { field: 'pin', label: 'PIN' }, 'label: unknown'],
    ['useField', { field: 'pin', use: { orgin: '' } }, 'use/orgin: unknown, did you mean origin?'],
    ['listItems', { where: 'x' }, 'where: unknown, did you mean filter?'],
    ['listItems', { orderBy: 'title' }, 'orderBy: unknown, did you mean sortBy?'],
    ['createVault', { title: 'New' }, 'title: unknown, did you mean name?'],
    ['patchItem', { operations: [] }, 'operations: unknown, did you mean patch?'],
    ['createItem', { draft: {} }, 'draft: unknown, did you mean item?'],
    [
      'createItem',
      { category: 'LOGIN', titel: secret, title: secret },
      'category: unknown, put it into item; titel: unknown; title: unknown, put it into item',
    ],
    [
      'regenerateField',
      { fieldId: 'pin', recipe: { lenght: 8, charactersets: [] } },
      'recipe/lenght: unknown, did you mean length?; recipe/charactersets: unknown, did you mean characterSets?',
    ],
  ])('names the unknown members of an input of %s: %j', async (name, input, message) => {
    expect(await messageOfCall(name, input)).toBe(message)
  })

  it('refuses to delete a vault for the reference to an item', async () => {
    const vault = await createTestVault({ strict: false })
    const { service, caller } = vault
    expect(await messageOf(vault, () => service.deleteVault(caller, itemRef(vault)))).toBe(
      'itemId: unknown',
    )
  })

  it.each<[unknown, string]>([
    [{ onUnreadabel: () => {} }, 'options/onUnreadabel: unknown, did you mean onUnreadable?'],
    [{ ifVersion: 9 }, 'options/ifVersion: unknown, put it into the input'],
    [{ signal: undefined, timeout: 5 }, 'options/timeout: unknown'],
    [null, 'options must be an object'],
    [[], 'options must be an object'],
    ['onUnreadable', 'options must be an object'],
    [Promise.resolve({}), 'options is a promise: is await missing?'],
  ])('rejects the options %j of a call', async (options, message) => {
    expect(await messageOfCall('deleteItem', {}, options)).toBe(message)
  })

  it.each(Object.keys(operations))('rejects an unknown option of %s', async (name) => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    const input = exampleInput(name as MethodName, toCallRef(vault))
    const call = Reflect.get(vault.service, name)(vault.caller, input, { retries: 3 })
    await expect(call).rejects.toMatchObject(invalid('options/retries: unknown'))
  })

  it('lists each unknown member and option as an issue', async () => {
    const { service, caller, ...vault } = await createTestVault()
    const input = { ...itemRef(vault), etag: '3' }
    await expect(service.deleteItem(caller, input, { a: 1 } as object)).rejects.toMatchObject({
      issues: [
        { path: 'etag', message: 'unknown, did you mean ifVersion?' },
        { path: 'options/a', message: 'unknown' },
      ],
    })
  })

  it('checks the calls of service.as and of a transaction', async () => {
    const vault = await createTestVault()
    const input = { ...itemRef(vault), expectedVersion: 9 }
    const error = invalid('expectedVersion: unknown, did you mean ifVersion?')
    await expect(vault.service.as(vault.caller).deleteItem(input)).rejects.toMatchObject(error)
    const store = createJoinableStore(createMemoryStore())
    const joinable = await createTestVault({ store })
    const transaction = joinable.service.inTransaction(anyClient)
    await expect(transaction.deleteItem(joinable.caller, input)).rejects.toMatchObject(error)
  })

  it('ignores members that are undefined, inherited or named by a symbol', async () => {
    const { service, caller, ...vault } = await createTestVault()
    class Ref {
      readonly vaultId = vault.vaultId
      readonly itemId = vault.item.id
      readonly later = undefined
      get title(): string {
        return 'inherited'
      }
    }
    const ref = Object.assign(new Ref(), { [Symbol('own')]: 1 })
    expect((await service.getItem(caller, ref)).version).toBe(3)
    expect(await service.as(caller).listVaults(undefined, undefined)).toHaveLength(1)
  })

  it('accepts unknown attributes in the body of an item, and in a call over HTTP', async () => {
    const vault = await createTestVault({ strict: false })
    expect(await create(vault, { titel: 'a' })).not.toHaveProperty('titel')
    const field = { id: 'f', generate: true, recipe: { lenght: 8 } }
    expect(await create(vault, { fields: [field] })).toMatchObject({
      fields: [{ value: expect.stringMatching(/^.{32}$/) }],
    })
    const { status } = await vault.fetch(`/v1/vaults/${vault.vaultId}?expand=items`, {
      headers: { authorization: `Bearer ${vault.tokens.full}` },
    })
    expect(status).toBe(200)
  })
})

describe('buildItem of a strict service', () => {
  const rejected = 'fields/0/generate nothing would be generated: remove the value first'

  it.each(['createItem', 'replaceItem'] as const)(
    '%s rejects generate beside a value',
    async (name) => {
      const call = ({ service, caller, ...vault }: TestVault): Promise<unknown> => {
        const fields = [{ id: 'f', value: secret, generate: true }]
        const item = loginDraft(vault.vaultId, { fields })
        const { vaultId } = vault
        return name === 'createItem'
          ? service.createItem(caller, { vaultId, item })
          : service.replaceItem(caller, { ...itemRef(vault), item })
      }
      expect(await messageOf(await createTestVault(), call)).toBe(rejected)
    },
  )

  it('patchItem rejects generate beside a value that stays', async () => {
    const vault = await createTestVault()
    const generate = { op: 'add', path: '/fields/username/generate', value: true }
    expect(await messageOf(vault, (one) => patch(one, [generate]))).toBe(
      `operation 0 ("${generate.path}"): ${rejected}`,
    )
    const remove = { op: 'remove', path: '/fields/username/value' }
    expect(await patch(vault, [generate, remove])).toMatchObject({ version: 4 })
  })

  it.each([undefined, null, ''])('generates when the value is %j', async (value) => {
    const vault = await createTestVault()
    const fields = [{ id: 'f', value, generate: true }]
    expect(await create(vault, { fields })).toMatchObject({
      fields: [{ value: expect.stringMatching(/^.{32}$/) }],
    })
  })

  it('accepts generate: false beside a value', async () => {
    const vault = await createTestVault()
    const fields = [{ id: 'f', value: 'a', generate: false }]
    expect(await create(vault, { fields })).toMatchObject({ fields: [{ value: 'a' }] })
  })
})
