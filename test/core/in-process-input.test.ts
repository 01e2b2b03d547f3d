import { tracingChannel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { connectDialect } from '../../src/dialects/connect.js'
import { createVaultService, type MethodName } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { describedOperations as operations } from '../../tools/openapi/operations.js'
import { getCurrentItem } from '../support/items/refs.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'
import { type ExpectedError, invalid, unauthorized } from '../support/service/rejections.js'
import { vaultCalls } from '../support/service/vault-calls.js'

const names = Object.keys(operations) as MethodName[]
const nullPrototype: unknown = Object.create(null)
const notObjects = [null, 5, 'text', true, Symbol('s'), [], [{}], () => undefined]
const notCallers = [undefined, null, {}, { id: 'x' }, { can: 5 }, { can: {} }, 5, 'x', true, []]
const notIds = [undefined, null, 5, nullPrototype, {}, [], Symbol('id'), () => 'x']
const notVersions = ['1', 1.5, -1, Number.NaN, null, {}, nullPrototype, [1]]
const notBooleans = ['false', 'true', 0, 1, null, {}, nullPrototype]

/** An operation called with unchecked arguments, as from JavaScript. */
type Call = (caller: unknown, input: unknown) => unknown

const services = [
  ['with a store', {}],
  ['with an activity log', { activity: createStoredActivityLog(createMemoryStore()) }],
  ['in the connect dialect', { dialect: connectDialect }],
] as const

describe.each(services)('createVaultService %s: input of operations', (_how, options) => {
  let vault: TestVault
  // A subscriber, so that the messages of the channel are created too.
  const channel = tracingChannel('cofferkit.operation')
  const listener = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }

  beforeAll(async () => {
    vault = await createTestVault(options)
    channel.subscribe(listener)
  })

  afterAll(async () => {
    channel.unsubscribe(listener)
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
  })

  /** Asserts that the call rejects with this error and does not throw synchronously. */
  async function expectRejection(
    name: MethodName,
    caller: unknown,
    input: unknown,
    expected: ExpectedError,
  ) {
    const call = Reflect.get(vault.service, name) as Call
    let result: unknown
    expect(() => {
      result = call(caller, input)
    }, name).not.toThrow()
    expect(result).toBeInstanceOf(Promise)
    const error = await Promise.resolve(result).then(
      () => new Error('it was resolved'),
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject(expected)
  }

  const inputOf = (name: MethodName): object => exampleInput(name, toCallRef(vault))
  const membersOf = (name: MethodName) => Object.keys(operations[name].input.shape)
  // The ids of listActivity are filters.
  const namesWithMember = (member: string) =>
    names.filter((name) => name !== 'listActivity' && membersOf(name).includes(member))

  it.each(names)('%s rejects an invalid caller with any input', async (name) => {
    for (const caller of notCallers) {
      await expectRejection(name, caller, inputOf(name), unauthorized)
      for (const input of [
        undefined,
        null,
        [],
        {},
        { vaultId: nullPrototype, itemId: nullPrototype, fileId: nullPrototype },
      ])
        await expectRejection(name, caller, input, unauthorized)
    }
  })

  it.each(names)('%s rejects an input that is not an object', async (name) => {
    for (const input of notObjects)
      await expectRejection(name, vault.caller, input, invalid('the input must be an object'))
  })

  it.each(['listVaults', 'listActivity'] as const)(
    '%s accepts a call without an input, and one that is undefined',
    async (name) => {
      const quiet = createVaultService({ store: vault.store })
      const expected = await quiet[name](vault.caller, {})
      expect(await quiet[name](vault.caller)).toEqual(expected)
      expect(await quiet[name](vault.caller, undefined, {})).toEqual(expected)
    },
  )

  it('reads a missing input like an empty one', async () => {
    // @ts-expect-error
    const call = vault.service.getItem(vault.caller)
    const missing = invalid('vaultId must be an id: 26 characters of a-z and 0-9')
    await expect(call).rejects.toMatchObject(missing)
  })

  it.each(names)('%s asks whether await is missing when the input is a promise', async (name) => {
    const promise = Promise.resolve(inputOf(name))
    const missing = invalid('the input is a promise: is await missing?')
    await expectRejection(name, vault.caller, promise, missing)
  })

  it.each(
    ['vaultId', 'itemId', 'fileId'].flatMap((id) => namesWithMember(id).map((name) => [name, id])),
  )('%s asks whether await is missing when %s is a promise', async (name, id) => {
    const input = { ...inputOf(name as MethodName), [id as string]: Promise.resolve('s3cret') }
    const missing = invalid(`${id} is a promise: is await missing?`)
    await expectRejection(name as MethodName, vault.caller, input, missing)
  })

  it.each(names)('%s rejects with the error of a throwing getter', async (name) => {
    const error = new Error('of a getter')
    const caller = {
      id: 'x',
      get can(): never {
        throw error
      },
    }
    const call = Reflect.get(vault.service, name) as Call
    await expect(call(caller, inputOf(name))).rejects.toBe(error)
  })

  it.each(namesWithMember('vaultId').filter((name) => name !== 'createVault'))(
    '%s rejects a missing vaultId and one that is not a string',
    async (name) => {
      await expectRejection(
        name,
        vault.caller,
        {},
        invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
      )
      // For `createItem`, the item has a vault.
      for (const id of notIds.filter((one) => one !== undefined || name !== 'createItem'))
        await expectRejection(
          name,
          vault.caller,
          { ...inputOf(name), vaultId: id },
          invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
        )
    },
  )

  it('createVault rejects an id that is not a string', async () => {
    for (const id of notIds.slice(2))
      await expectRejection(
        'createVault',
        vault.caller,
        { name: 'x', vaultId: id },
        invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
      )
  })

  it.each(namesWithMember('itemId'))('%s rejects an item id that is not a string', async (name) => {
    // `createItem` makes an id then.
    for (const id of notIds.filter((one) => one !== undefined || name !== 'createItem'))
      await expectRejection(
        name,
        vault.caller,
        { ...inputOf(name), itemId: id },
        invalid('itemId must be an id: 26 characters of a-z and 0-9'),
      )
  })

  const fileOperations = vaultCalls.filter(({ names }) => names === 'file')

  it.each(fileOperations)('$name rejects a file id that is not a string', async ({ name }) => {
    for (const id of notIds)
      await expectRejection(
        name,
        vault.caller,
        { ...inputOf(name), fileId: id },
        invalid('fileId must be a string'),
      )
  })

  it.each(namesWithMember('ifVersion'))('%s rejects an invalid ifVersion', async (name) => {
    for (const ifVersion of notVersions)
      await expectRejection(
        name,
        vault.caller,
        { ...inputOf(name), ifVersion },
        invalid(expect.stringMatching(/^ifVersion must be /)),
      )
  })

  it.each(namesWithMember('inlineFiles'))('%s rejects an invalid inlineFiles', async (name) => {
    for (const inlineFiles of notBooleans)
      await expectRejection(
        name,
        vault.caller,
        { ...inputOf(name), inlineFiles },
        invalid('inlineFiles must be a boolean'),
      )
  })

  it.each<[MethodName, string, readonly unknown[]]>([
    ['createItem', 'item', [undefined, null, 5, 'x', [], nullPrototype]],
    ['replaceItem', 'item', [undefined, null, 5, 'x', [], nullPrototype]],
    [
      'patchItem',
      'patch',
      [undefined, null, 5, 'x', {}, nullPrototype, [null], [5], [nullPrototype]],
    ],
    [
      'patchItem',
      'patch',
      [[{ op: nullPrototype, path: nullPrototype }], [{ op: 'add', path: 5, value: 5 }]],
    ],
    ['getItems', 'itemIds', [undefined, null, 5, 'x', {}, [null], [nullPrototype], [5]]],
    ['getField', 'field', [undefined, null, 5, {}, nullPrototype]],
    ['getField', 'section', [null, 5, {}, nullPrototype]],
    ['useField', 'field', [undefined, null, 5, {}, nullPrototype]],
    ['useField', 'section', [null, 5, {}, nullPrototype]],
    ['useField', 'use', [undefined, null, 5, 'https://example.com', [], nullPrototype]],
    ['attachFile', 'content', [undefined, null, 5, 'x', {}, nullPrototype, [1]]],
    ['attachFile', 'name', [undefined, null, 5, '', {}, nullPrototype]],
    ['attachFile', 'sectionId', [null, 5, {}, nullPrototype]],
    ['attachFile', 'fileId', [null, 5, {}, nullPrototype, 'x']],
    ['createVault', 'name', [undefined, null, 5, '', nullPrototype]],
    ['createVault', 'description', [null, 5, nullPrototype]],
    ['updateVault', 'name', [null, 5, '', nullPrototype]],
    ['updateVault', 'description', [5, nullPrototype]],
    ['regenerateField', 'fieldId', [undefined, null, 5, 'absent', {}, nullPrototype]],
    ['regenerateField', 'recipe', [null, 5, 'x', { length: 65 }]],
    ['setItemState', 'state', [5, 'GONE', '', {}, nullPrototype]],
    ['getVersion', 'version', [undefined, null, '1', 0, nullPrototype]],
    ['restoreVersion', 'version', [undefined, null, '1', 0, nullPrototype]],
    ['collectGarbage', 'minAgeMs', [null, '60000', 5, nullPrototype]],
    ['listItems', 'filter', [null, 5, nullPrototype]],
    ['listItems', 'limit', [null, '1', 0, nullPrototype]],
    ['listItems', 'after', [null, 5, 'x', nullPrototype]],
    ['listVaults', 'filter', [null, 5, nullPrototype]],
    ['listActivity', 'limit', [null, '1', 0, nullPrototype]],
    ['listActivity', 'offset', [null, '1', -1, nullPrototype]],
  ])('%s rejects an invalid %s', async (name, member, values) => {
    for (const value of values)
      await expectRejection(name, vault.caller, { ...inputOf(name), [member]: value }, invalid())
  })
})
