import { tracingChannel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectDialect } from '../../src/dialects/connect.js'
import { describedOperations as operations } from '../../src/http/openapi/operations.js'
import { createStoredActivityLog, type OperationName } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { itemNow } from '../support/items/refs.js'
import { vaultInputs } from '../support/items/vault-inputs.js'
import { invalid, type Refusal, unauthorized } from '../support/service/rejections.js'

const names = Object.keys(operations) as OperationName[]
const bare: unknown = Object.create(null)
const notObjects = [undefined, null, 5, 'text', true, Symbol('s'), [], [{}], () => undefined]
const notCallers = [undefined, null, {}, { id: 'x' }, { can: 5 }, { can: {} }, 5, 'x', true, []]
const notIds = [undefined, null, 5, bare, {}, [], Symbol('id'), () => 'x']
const notVersions = ['1', 1.5, -1, Number.NaN, null, {}, bare, [1]]
const notBooleans = ['false', 'true', 0, 1, null, {}, bare]

/** Calls an operation with whatever it is given, as JavaScript can. */
type Call = (caller: unknown, input: unknown) => unknown

const services = [
  ['alone', {}],
  ['with an activity log', { activity: createStoredActivityLog(createMemoryStore()) }],
  ['in the connect dialect', { dialect: connectDialect }],
] as const

describe.each(services)('an operation of a service %s', (_how, options) => {
  let vault: TestVault
  // Somebody listens, so that what calls are told as is made as well.
  const channel = tracingChannel('cofferkit.operation')
  const listener = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }

  beforeAll(async () => {
    vault = await createTestVault(options)
    channel.subscribe(listener)
  })

  afterAll(async () => {
    channel.unsubscribe(listener)
    expect(await itemNow(vault)).toStrictEqual(vault.item)
  })

  /** Fails if the call throws, answers, or rejects with anything else. */
  async function refuses(name: OperationName, caller: unknown, input: unknown, refusal: Refusal) {
    const call = Reflect.get(vault.service, name) as Call
    let answer: unknown
    expect(() => {
      answer = call(caller, input)
    }, name).not.toThrow()
    expect(answer).toBeInstanceOf(Promise)
    const error = await Promise.resolve(answer).then(
      () => new Error('it was answered'),
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject(refusal)
  }

  const inputOf = (name: OperationName): object => vaultInputs(vault)[name]
  const membersOf = (name: OperationName) => Object.keys(operations[name].input.shape)
  const havingMember = (member: string) => names.filter((name) => membersOf(name).includes(member))

  it.each(names)('%s refuses what is not a caller, with any input', async (name) => {
    for (const caller of notCallers) {
      await refuses(name, caller, inputOf(name), unauthorized)
      for (const input of [undefined, null, [], {}, { vaultId: bare, itemId: bare, fileId: bare }])
        await refuses(name, caller, input, unauthorized)
    }
  })

  it.each(names)('%s refuses an input that is not an object', async (name) => {
    for (const input of notObjects)
      await refuses(name, vault.caller, input, invalid('the input must be an object'))
  })

  it.each(names)('%s rejects with what a getter throws, and never throws', async (name) => {
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

  it.each(havingMember('vaultId').filter((name) => name !== 'createVault'))(
    '%s refuses an input without ids, and ids that are not strings',
    async (name) => {
      await refuses(name, vault.caller, {}, invalid('Invalid Vault UUID'))
      for (const id of notIds)
        await refuses(
          name,
          vault.caller,
          { ...inputOf(name), vaultId: id },
          invalid('Invalid Vault UUID'),
        )
    },
  )

  it('createVault takes no id that is not a string', async () => {
    for (const id of notIds.slice(2))
      await refuses(
        'createVault',
        vault.caller,
        { name: 'x', vaultId: id },
        invalid('Invalid Vault UUID'),
      )
  })

  it.each(havingMember('itemId'))('%s refuses an item id that is not a string', async (name) => {
    for (const id of notIds)
      await refuses(
        name,
        vault.caller,
        { ...inputOf(name), itemId: id },
        invalid('Invalid Item UUID'),
      )
  })

  const ofFiles: readonly OperationName[] = ['getFileDetails', 'readFileContent', 'removeFile']

  it.each(ofFiles)('%s refuses a file id that is not a string', async (name) => {
    for (const id of notIds)
      await refuses(
        name,
        vault.caller,
        { ...inputOf(name), fileId: id },
        invalid('fileId must be a string'),
      )
  })

  it.each(havingMember('ifVersion'))('%s refuses a wrong ifVersion', async (name) => {
    for (const ifVersion of notVersions)
      await refuses(
        name,
        vault.caller,
        { ...inputOf(name), ifVersion },
        invalid(expect.stringMatching(/^ifVersion must be /)),
      )
  })

  it.each(havingMember('inlineFiles'))('%s refuses a wrong inlineFiles', async (name) => {
    for (const inlineFiles of notBooleans)
      await refuses(
        name,
        vault.caller,
        { ...inputOf(name), inlineFiles },
        invalid('inlineFiles must be a boolean'),
      )
  })

  it.each<[OperationName, string, readonly unknown[]]>([
    ['createItem', 'item', [undefined, null, 5, 'x', [], bare]],
    ['replaceItem', 'item', [undefined, null, 5, 'x', [], bare]],
    ['patchItem', 'patch', [undefined, null, 5, 'x', {}, bare, [null], [5], [bare]]],
    ['patchItem', 'patch', [[{ op: bare, path: bare }], [{ op: 'add', path: 5, value: 5 }]]],
    ['getItems', 'itemIds', [undefined, null, 5, 'x', {}, [null], [bare], [5]]],
    ['attachFile', 'content', [undefined, null, 5, 'x', {}, bare, [1]]],
    ['attachFile', 'name', [undefined, null, 5, '', {}, bare]],
    ['attachFile', 'sectionId', [null, 5, {}, bare]],
    ['attachFile', 'fileId', [null, 5, {}, bare, 'x']],
    ['createVault', 'name', [undefined, null, 5, '', bare]],
    ['createVault', 'description', [null, 5, bare]],
    ['updateVault', 'name', [null, 5, '', bare]],
    ['updateVault', 'description', [5, bare]],
    ['setItemState', 'state', [5, 'GONE', '', {}, bare]],
    ['getVersion', 'version', [undefined, null, '1', 0, bare]],
    ['restoreVersion', 'version', [undefined, null, '1', 0, bare]],
    ['collectGarbage', 'minAgeMs', [null, '60000', 5, bare]],
    ['listItems', 'filter', [null, 5, bare]],
    ['listItems', 'limit', [null, '1', 0, bare]],
    ['listItems', 'after', [null, 5, 'x', bare]],
    ['listVaults', 'filter', [null, 5, bare]],
    ['listActivity', 'limit', [null, '1', 0, bare]],
    ['listActivity', 'offset', [null, '1', -1, bare]],
  ])('%s refuses a wrong %s', async (name, member, values) => {
    for (const value of values)
      await refuses(name, vault.caller, { ...inputOf(name), [member]: value }, invalid())
  })
})
