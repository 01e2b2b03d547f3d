import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type VaultService } from '../../src/index.js'
import { createReferenceResolver, type ReferenceResolver } from '../../src/references.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { replaceOperations } from '../../tools/reliability/support/replace-operations.js'
import { utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { itemRef } from '../support/items/refs.js'
import { invalid } from '../support/service/rejections.js'

describe('createReferenceResolver: resolveAll', () => {
  it('returns the values in the order of the references', async () => {
    const { service, caller } = await createTestVault()
    const { resolveAll } = createReferenceResolver(service, caller)
    const references = ['pin', 'username', 'hello.txt', 'password', 'pin'].map(
      (field) => `op://Test/Example/${field}`,
    )
    const values = ['1234', 'wendy', 'hello', 'correct horse', '1234']
    expect(await resolveAll(references)).toEqual(values)
    expect(await resolveAll([])).toEqual([])
  })

  it('reads an item once for all references to it, and each file once', async () => {
    const vault = await createTestVault()
    const { calls, resolver } = counted(vault)
    await resolver.resolveAll([
      'op://Test/Example/pin',
      'op://Test/Example/password',
      'op://Test/Example/hello.txt',
      'op://Test/Example/hello.txt',
      'OP://Test/Example/hello.txt',
    ])
    expect(calls).toEqual(['listVaults', 'listItems', 'getItem', 'readFileContent'])
  })

  it('looks up each name once, and reads no list as a whole when names are in another case', async () => {
    const vault = await createTestVault()
    const titles = Array.from({ length: 30 }, (_, index) => `Item ${index}`)
    for (const title of titles) await createNote(vault, title, title)
    const { calls, resolver } = counted(vault)
    const references = titles.map((title) => `op://test/${title.toUpperCase()}/notes`)
    expect(await resolver.resolveAll(references)).toEqual(titles)
    const counts = Object.entries(Object.groupBy(calls, (name) => name))
    expect(Object.fromEntries(counts.map(([name, all]) => [name, all?.length]))).toEqual({
      listVaults: 1,
      listItems: 30,
      getItem: 30,
    })
  })

  it('finds names beyond the first page of a list', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    const summaries = Array.from({ length: 2001 }, (_, index) => ({
      ...item,
      id: `${index}`.padStart(26, '0'),
      title: index === 2000 ? 'Last' : 'other',
    }))
    const listItems: VaultService['listItems'] = async (_, { filter, limit = 0, after = '' }) =>
      summaries
        .filter(({ title }) => filter === undefined || filter === formatEqual(title.toLowerCase()))
        .filter(({ id }) => id > after)
        .slice(0, limit)
    const formatEqual = (title: string) => `title eq "${title}"`
    const getItem: VaultService['getItem'] = async (_, { itemId }) => ({
      ...item,
      fields: [{ id: 'id', type: 'STRING', value: itemId }],
    })
    const paged = createReferenceResolver(
      replaceOperations(service, { listItems, getItem }),
      caller,
    )
    const [exact, folded] = ['op://Test/Last/id', 'op://Test/LAST/id']
    const id = '2000'.padStart(26, '0')
    expect(await paged.resolveAll([exact, folded])).toEqual([id, id])
    await expect(paged.resolve('op://Test/OTHER/id')).rejects.toMatchObject({
      message: 'op://Test/OTHER/id: the name of the item is ambiguous: use its id',
    })
    expect(vaultId).toBe(item.vault.id)
  })

  it('reads at most eight items at a time', async () => {
    const vault = await createTestVault()
    const titles = Array.from({ length: 20 }, (_, index) => `Item ${index}`)
    for (const title of titles) await createNote(vault, title, title)
    let [pending, maxPending] = [0, 0]
    const getItem: VaultService['getItem'] = async (...call) => {
      maxPending = Math.max(maxPending, ++pending)
      await new Promise(setImmediate)
      pending--
      return vault.service.getItem(...call)
    }
    const { resolveAll } = createReferenceResolver(
      replaceOperations(vault.service, { getItem }),
      vault.caller,
    )
    expect(await resolveAll(titles.map((title) => `op://Test/${title}/notes`))).toEqual(titles)
    expect(maxPending).toBe(8)
  })

  it('rejects with the error of the first item that fails', async () => {
    const { service, caller } = await createTestVault()
    const { resolveAll } = createReferenceResolver(service, caller)
    const references = ['Example/pin', 'One/a', 'Example/no', 'Two/a'].map((r) => `op://Test/${r}`)
    await expect(resolveAll(references)).rejects.toMatchObject({
      message: 'op://Test/Example/no: field not found',
    })
  })

  it('rejects with all invalid references, before anything is read', async () => {
    const vault = await createTestVault()
    const { calls, resolver } = counted(vault)
    const texts = ['op://Test/Example/pin', 'secret', 'op://a/b/c%20d', 7] as string[]
    const error = await resolver.resolveAll(texts).catch((reason) => reason)
    expect(error).toMatchObject({ code: 'INVALID_INPUT' })
    expect(error.issues.map(({ path }: { path: string }) => path)).toEqual([
      'references/1',
      'references/2',
      'references/3',
    ])
    expect(error.message).not.toMatch(/secret|%20/)
    expect(calls).toEqual([])
    for (const notArray of ['op://Test/Example/pin', undefined, null, {}])
      await expect(resolver.resolveAll(notArray as never)).rejects.toMatchObject(
        invalid('references must be an array'),
      )
  })

  it('accepts 1,000 references, and no more', async () => {
    const vault = await createTestVault()
    const { calls, resolver } = counted(vault)
    const references = new Array<string>(1000).fill('op://Test/Example/pin')
    expect(await resolver.resolveAll(references)).toHaveLength(1000)
    const count = calls.length
    await expect(resolver.resolveAll([...references, ...references])).rejects.toMatchObject(
      invalid('references must have at most 1000 references'),
    )
    expect(calls).toHaveLength(count)
  })

  it('rejects values with more than 16,777,216 characters in total', async () => {
    const vault = await createTestVault()
    const content = new Uint8Array(1_048_576).fill(97)
    for (let index = 0; index < 16; index++)
      await vault.service.attachFile(vault.caller, { ...itemRef(vault), name: `${index}`, content })
    await vault.service.attachFile(vault.caller, {
      ...itemRef(vault),
      name: 'one more',
      content: utf8('a'),
    })
    const { resolveAll, inject } = createReferenceResolver(vault.service, vault.caller)
    const references = Array.from({ length: 16 }, (_, index) => `op://Test/Example/${index}`)
    expect(await resolveAll([...references, ...references])).toHaveLength(32)
    const tooLarge = {
      code: 'CONTENT_TOO_LARGE',
      message: 'the result has more than 16777216 characters',
    }
    const tooMany = resolveAll([...references, 'op://Test/Example/one more'])
    await expect(tooMany).rejects.toMatchObject(tooLarge)
    const tag = '{{ op://Test/Example/0 }}'
    expect(await inject(tag.repeat(16))).toHaveLength(16_777_216)
    await expect(inject(`${tag.repeat(16)}.`)).rejects.toMatchObject(tooLarge)
  })

  it('reads only what the caller can read', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const { id: other } = await service.createVault(caller, { name: 'Other' })
    await createNote({ ...vault, vaultId: other }, 'Note', 'hidden')
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const { resolveAll } = createReferenceResolver(service, reader)
    const references = ['op://Test/Example/pin', 'op://Other/Note/notes']
    await expect(resolveAll(references)).rejects.toMatchObject({
      message: 'op://Other/Note/notes: vault not found',
    })
  })
})

/** Returns a resolver, and the names of the operations that it calls. */
function counted({ store, caller }: TestVault): {
  readonly calls: string[]
  readonly resolver: ReferenceResolver
} {
  const calls: string[] = []
  const recording = createVaultService({
    store,
    async around({ operation }, next) {
      calls.push(operation)
      await next()
    },
  })
  return { calls, resolver: createReferenceResolver(recording, caller) }
}

function createNote({ service, caller, vaultId }: TestVault, title: string, value: string) {
  const fields = [{ id: 'notes', value }]
  return service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title, fields }) })
}
