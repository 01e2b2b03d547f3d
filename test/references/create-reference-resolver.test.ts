import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../src/dialects/connect.js'
import { createCaller, createVaultService, type VaultService } from '../../src/index.js'
import { createReferenceResolver, type ReferenceResolver } from '../../src/references.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../src/testing.js'
import { replaceOperations } from '../../tools/reliability/support/replace-operations.js'
import { type loginDraft, noteDraft } from '../support/drafts.js'
import { itemRef } from '../support/items/refs.js'
import { createSpyLog } from '../support/service/observed-calls.js'
import { invalid, storageFailed, unauthorized } from '../support/service/rejections.js'
import { createRecordingStore } from '../support/stores/stores.js'
import { createTeam } from './support/team.js'

describe('createReferenceResolver: resolve', () => {
  it.each([
    ['op://Test/Example/password', 'correct horse'],
    ['op://test/EXAMPLE/PassWord', 'correct horse'],
    ['op://Test/Example/More/PIN', '1234'],
    ['op://Test/Example/more/pin', '1234'],
    ['op://Test/Example/PIN', '1234'],
    ['op://Test/Example/hello.txt', 'hello'],
    ['op://Test/Example/More/HELLO.txt', 'hello'],
    ['op://Test/Example/password?attribute=value', 'correct horse'],
    ['op://Test/Example/password?attribute=type', 'CONCEALED'],
    ['op://Test/Example/password?attribute=title', 'password'],
    ['op://Test/Example/PIN?attribute=id', 'pin'],
    ['op://Test/Example/password?attribute=purpose', 'PASSWORD'],
    ['op://Test/Example/PIN?attribute=purpose', ''],
    ['op://Test/Example/hello.txt?attribute=content', 'hello'],
    ['op://Test/Example/hello.txt?attribute=size', '5'],
    ['op://Test/Example/hello.txt?attribute=name', 'hello.txt'],
  ])('returns what %s names', async (reference, value) => {
    const { service, caller } = await createTestVault()
    expect(await createReferenceResolver(service, caller).resolve(reference)).toBe(value)
  })

  it('finds everything by its id, in any case', async () => {
    const { service, caller, vaultId, item, smallFile } = await createTestVault()
    const { resolve } = createReferenceResolver(service, caller)
    expect(await resolve(`op://${vaultId}/${item.id}/more/pin`)).toBe('1234')
    const upper = `op://${vaultId}/${item.id}/more/pin`.toUpperCase()
    expect(await resolve(upper)).toBe('1234')
    expect(await resolve(`op://Test/Example/${smallFile.id}`)).toBe('hello')
    expect(await resolve(`op://Test/Example/${smallFile.id}?attribute=id`)).toBe(smallFile.id)
  })

  it('returns an empty string for a field without a value or a label', async () => {
    const vault = await createTestVault()
    const fields = [{ id: 'empty' }]
    await create(vault, 'Empty', { fields })
    const { resolve } = resolverOf(vault)
    expect(await resolve('op://Test/Empty/empty')).toBe('')
    expect(await resolve('op://Test/Empty/empty?attribute=title')).toBe('')
  })

  it('prefers an id to a name, and a name in its exact case to one in another', async () => {
    const vault = await createTestVault()
    const first = await create(vault, 'First', { fields: [{ id: 'a', value: 'first' }] })
    await create(vault, first.id, { fields: [{ id: 'a', value: 'named like an id' }] })
    await create(vault, 'FIRST', { fields: [{ id: 'a', value: 'in another case' }] })
    await vault.service.createVault(vault.caller, { name: vault.vaultId })
    await vault.service.createVault(vault.caller, { name: 'TEST' })
    const { resolve } = resolverOf(vault)
    expect(await resolve(`op://${vault.vaultId}/${first.id}/a`)).toBe('first')
    expect(await resolve('op://Test/First/a')).toBe('first')
    expect(await resolve('op://Test/FIRST/a')).toBe('in another case')
  })

  it('finds names that have the form of an id', async () => {
    const vault = await createTestVault()
    const name = 'abcdefghijklmnopqrstuvwxyz'
    const { id: vaultId } = await vault.service.createVault(vault.caller, { name })
    await create({ ...vault, vaultId }, name, { fields: [{ id: 'a', value: 'found' }] })
    expect(await resolverOf(vault).resolve(`op://${name}/${name}/a`)).toBe('found')
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const { resolve } = createReferenceResolver(vault.service, reader)
    expect(await resolve(`op://${name}/${name}/a`)).toBe('found')
  })

  it.each([
    ['vault', 'op://Nowhere/Example/password', 'Nowhere'],
    ['vault', `op://${'z'.repeat(26)}/Example/password`, 'z'.repeat(26)],
    ['item', 'op://Test/Nothing/password', 'Nothing'],
    ['item', `op://Test/${'z'.repeat(26)}/password`, 'z'.repeat(26)],
    ['section', 'op://Test/Example/Less/pin', 'Less'],
    ['field', 'op://Test/Example/nothing', 'nothing'],
    ['field', 'op://Test/Example/More/password', 'password'],
    ['field', 'op://Test/Example/hello.text?attribute=size', 'hello.text'],
  ])('rejects with the %s that does not exist: %s', async (resource, reference, id) => {
    const { service, caller } = await createTestVault()
    const call = createReferenceResolver(service, caller).resolve(reference)
    await expect(call).rejects.toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
      message: `${reference}: ${resource} not found`,
      resource,
      id,
    })
  })

  it.each([
    ['op://Twice/Example/password', 'vault', 'use its id'],
    ['op://twice/Example/password', 'vault', 'use its id'],
    ['op://Test/Double/a', 'item', 'use its id'],
    ['op://Test/double/a', 'item', 'use its id'],
    ['op://Test/Fields/Same', 'field', 'use its id, or add its section'],
    ['op://Test/Fields/same', 'field', 'use its id, or add its section'],
    ['op://Test/Fields/One/Same', 'field', 'use its id'],
    ['op://Test/Fields/file', 'field', 'use its id, or add its section'],
  ])('rejects an ambiguous name: %s', async (reference, part, remedy) => {
    const { service, caller } = await createTeam()
    const problem = `the name of the ${part} is ambiguous: ${remedy}`
    const call = createReferenceResolver(service, caller).resolve(reference)
    await expect(call).rejects.toMatchObject({
      ...invalid(`${reference}: ${problem}`),
      issues: [{ path: part, message: problem }],
    })
  })

  it.each([
    ['op://Test/Fields/Two/Same', 'c'],
    ['op://Test/Fields/d', 'd'],
    ['op://Test/Fields/One/file', 'one'],
    ['op://Test/Fields/Both', 'field'],
  ])(
    'finds one of several by its id or section, and fields before files: %s',
    async (text, value) => {
      const { service, caller } = await createTeam()
      expect(await createReferenceResolver(service, caller).resolve(text)).toBe(value)
    },
  )

  it('finds an archived item by its id only, and a deleted one not at all', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    const { resolve } = resolverOf(vault)
    await service.setItemState(caller, { vaultId, itemId: item.id, state: 'ARCHIVED' })
    expect(await resolve(`op://Test/${item.id}/pin`)).toBe('1234')
    await expect(resolve('op://Test/Example/pin')).rejects.toMatchObject({ resource: 'item' })
    await expect(resolve('op://Test/example/pin')).rejects.toMatchObject({ resource: 'item' })
    await create(vault, 'Example', { fields: [{ id: 'pin', value: '5678' }] })
    expect(await resolve('op://Test/Example/pin')).toBe('5678')
    await service.setItemState(caller, { vaultId, itemId: item.id, state: 'DELETED' })
    const byId = resolve(`op://Test/${item.id}/pin`)
    await expect(byId).rejects.toMatchObject({ resource: 'item' })
  })

  it('ignores items without a title', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', vault: { id: vaultId } },
    })
    expect(await resolverOf(vault).resolve('op://Test/example/pin')).toBe('1234')
  })

  it('returns the newest value in each call', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    const { resolve } = resolverOf(vault)
    const patch = [{ op: 'replace', path: '/fields/pin/value', value: 'new' }] as const
    expect(await resolve('op://Test/Example/pin')).toBe('1234')
    await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    expect(await resolve('op://Test/Example/pin')).toBe('new')
  })

  it.each([{}, { dialect: connectDialect }])(
    'returns the one-time code of the time of the service with %j',
    async (options) => {
      const vault = await createTestVault(options)
      const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8'
      const fields = [
        { id: 'code', label: 'one-time password', type: 'TOTP', value },
        { id: 'seed', type: 'TOTP', value: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
      ] as const
      await create(vault, 'Codes', { fields })
      const at59 = replaceOperations(vault.service, { now: () => new Date(59_000) })
      const { resolve } = createReferenceResolver(at59, vault.caller)
      expect(await resolve('op://Test/Codes/one-time password?attribute=otp')).toBe('94287082')
      expect(await resolve('op://Test/Codes/code?attr=totp')).toBe('94287082')
      expect(await resolve('op://Test/Codes/code')).toBe(value)
      await expect(resolve('op://Test/Codes/seed?attribute=otp')).rejects.toMatchObject(
        invalid('op://Test/Codes/seed?attribute=otp: the field has no one-time code'),
      )
    },
  )

  it.each(
    [
      ['op://Test/Example/password?attribute=content', 'a field does not have this attribute'],
      ['op://Test/Example/hello.txt?attribute=value', 'a file does not have this attribute'],
      ['op://Test/Example/hello.txt?attribute=otp', 'a file does not have this attribute'],
      ['op://Test/Example/pin?ssh-format=openssh', 'the value is not a private key in that format'],
    ].filter(([, problem]) => problem !== ''),
  )('rejects %s', async (reference, problem) => {
    const { service, caller } = await createTestVault()
    const call = createReferenceResolver(service, caller).resolve(reference)
    await expect(call).rejects.toMatchObject(invalid(`${reference}: ${problem}`))
  })

  it('returns a private key that is in the format of OpenSSH', async () => {
    const vault = await createTestVault()
    const value = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n'
    await create(vault, 'Key', { fields: [{ id: 'private key', value }] })
    const reference = 'op://Test/Key/private key?ssh-format=openssh'
    expect(await resolverOf(vault).resolve(reference)).toBe(value)
  })

  it('returns files of up to 1,048,576 bytes of UTF-8 unchanged, and rejects others', async () => {
    const vault = await createTestVault()
    const attach = (name: string, content: Uint8Array) =>
      vault.service.attachFile(vault.caller, { ...itemRef(vault), name, content })
    await attach('max.txt', new Uint8Array(1_048_576).fill(97))
    await attach('over.txt', new Uint8Array(1_048_577).fill(97))
    await attach('bom.txt', new TextEncoder().encode('\ufeffä\r\n'))
    await attach('binary', Uint8Array.of(0xff, 0xfe))
    const { resolve } = resolverOf(vault)
    expect(await resolve('op://Test/Example/max.txt')).toHaveLength(1_048_576)
    expect(await resolve('op://Test/Example/bom.txt')).toBe('\ufeffä\r\n')
    await expect(resolve('op://Test/Example/over.txt')).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      message: 'op://Test/Example/over.txt: the file is larger than 1048576 bytes',
    })
    expect(await resolve('op://Test/Example/over.txt?attribute=size')).toBe('1048577')
    await expect(resolve('op://Test/Example/binary')).rejects.toMatchObject(
      invalid('op://Test/Example/binary: the file is not UTF-8 text'),
    )
  })

  it('rejects a text that is no reference before anything is read', async () => {
    const store = createRecordingStore()
    const { service, caller } = await createTestVault({ store })
    store.calls.length = 0
    const { resolve } = createReferenceResolver(service, caller)
    for (const text of ['secret', 'op://Test/Example', 7, undefined])
      await expect(resolve(text as string)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(store.calls).toEqual([])
  })
})

describe('createReferenceResolver: permissions and errors', () => {
  it('treats a vault that the caller cannot read as one that does not exist', async () => {
    const { service, vaultId, item } = await createTestVault()
    const callers = [
      createCaller({ id: 'none', vaults: {} }),
      createCaller({ id: 'writer', vaults: { [vaultId]: 'write' } }),
    ]
    for (const caller of callers) {
      const { resolve } = createReferenceResolver(service, caller)
      for (const vault of ['Test', 'test', vaultId]) {
        const call = resolve(`op://${vault}/${item.id}/pin`)
        await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND', resource: 'vault' })
      }
    }
  })

  it('rejects every call without a caller', async () => {
    const { service } = await createTestVault()
    const { resolve, inject } = createReferenceResolver(service, undefined)
    await expect(resolve('op://Test/Example/pin')).rejects.toMatchObject(unauthorized)
    await expect(inject('{{ op://Test/Example/pin }}')).rejects.toMatchObject(unauthorized)
  })

  it('records its reads in the activity log', async () => {
    const log = createSpyLog()
    const { service, caller, vaultId, item } = await createTestVault({ activity: log })
    log.collected.length = 0
    await createReferenceResolver(service, caller).resolve('op://Test/Example/pin')
    const read = { action: 'READ', result: 'SUCCESS', actor: { id: caller.id } }
    expect(log.collected).toMatchObject([
      { ...read, resource: { type: 'VAULT' } },
      { ...read, resource: { type: 'VAULT', vault: { id: vaultId } } },
      { ...read, resource: { type: 'ITEM', item: { id: item.id }, itemVersion: 3 } },
    ])
  })

  it('calls the operations of a service that wraps another one', async () => {
    const { service, caller, item } = await createTestVault()
    const [username] = item.fields
    const getItem: VaultService['getItem'] = async () => ({ ...item, fields: [username as never] })
    const { resolve } = createReferenceResolver(replaceOperations(service, { getItem }), caller)
    await expect(resolve('op://Test/Example/pin')).rejects.toMatchObject({ resource: 'field' })
  })

  it('passes on the errors of operations', async () => {
    const { service, caller } = await createTestVault()
    const broken = createVaultService({
      store: createFaultyStore(createMemoryStore(), () => 'fail-before'),
    })
    const { resolve } = createReferenceResolver(broken, caller)
    for (const name of ['Test', 'a'.repeat(26)])
      await expect(resolve(`op://${name}/Example/pin`)).rejects.toMatchObject(storageFailed)
    const readFileContent: VaultService['readFileContent'] = () =>
      broken.getItem(caller, {
        vaultId: 'a'.repeat(26),
        itemId: 'a'.repeat(26),
      }) as never
    const partly = createReferenceResolver(replaceOperations(service, { readFileContent }), caller)
    const call = partly.resolve('op://Test/Example/hello.txt')
    await expect(call).rejects.toMatchObject(storageFailed)
  })

  it.each(['vault', 'item', 'file'] as const)(
    'rejects as for a missing one when the %s is deleted while it is read',
    async (resource) => {
      const vault = await createTestVault()
      const { service, caller, vaultId, item, smallFile } = vault
      const ref = { vaultId, itemId: item.id }
      const racing: VaultService = replaceOperations(service, {
        async listItems(...call) {
          if (resource === 'vault') await service.deleteVault(caller, { vaultId })
          const list = service.listItems(...call)
          if (resource === 'item') await list.then(() => service.deleteItem(caller, ref))
          return list
        },
        async readFileContent(...call) {
          await service.removeFile(caller, { ...ref, fileId: smallFile.id })
          return service.readFileContent(...call)
        },
      })
      const reference = 'op://Test/Example/hello.txt'
      const missing = resource === 'file' ? 'field' : 'item'
      await expect(
        createReferenceResolver(racing, caller).resolve(reference),
      ).rejects.toMatchObject({ message: `${reference}: ${missing} not found` })
    },
  )

  it('has neither values nor other names in its errors', async () => {
    const { service, caller } = await createTeam()
    const { resolve } = createReferenceResolver(service, caller)
    const references = ['op://Test/Fields/Same', 'op://Test/Fields/no', 'op://Test/no/x']
    references.push('op://no/x/x', 'op://Test/Double/a', 'op://Test/Fields/Two/x?attribute=otp')
    for (const reference of references) {
      const error = await resolve(reference).catch((reason: unknown) => reason)
      const { message, issues = [], cause } = error as Error & { issues?: unknown[] }
      expect(message.startsWith(`${reference}: `)).toBe(true)
      const text = `${message.slice(reference.length)} ${JSON.stringify(issues)}`
      expect(text).not.toMatch(/secret|Example|correct horse|Twice|Same/)
      expect(cause).toBeUndefined()
    }
  })
})

function resolverOf({ service, caller }: TestVault): ReferenceResolver {
  return createReferenceResolver(service, caller)
}

function create(
  { service, caller, vaultId }: TestVault,
  title: string,
  members: Parameters<typeof loginDraft>[1],
) {
  const item = noteDraft(vaultId, { title, ...members })
  return service.createItem(caller, { vaultId, item })
}
