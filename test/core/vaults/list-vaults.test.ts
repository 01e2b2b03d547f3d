import { describe, expect, it } from 'vitest'
import { inProcess } from '../../../src/core/assert-service.js'
import { execute } from '../../../src/core/operation/execute.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { type ListVaultsInput, listVaults } from '../../../src/core/vaults/list-vaults.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSeededRandomBytes } from '../../../src/testing.js'
import { recordPages } from '../../support/http/pagination.js'
import { invalid, unauthorized } from '../../support/service/rejections.js'
import { encryptStore } from '../../support/stores/encrypted-stores.js'
import { createRecordingStore } from '../../support/stores/stores.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const everyone = createCaller({ id: 'everyone', vaults: '*' })
const idOf = (letter: string): string => letter.repeat(26)
const names = { a: 'Private', b: 'Work', c: 'Work', d: 'my "other" vault' }

describe('listVaults', () => {
  it('returns every vault that the caller can read, ascending by id', async () => {
    const { store, service } = await fourVaults()
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((letter) => service.getVault(everyone, { vaultId: idOf(letter) })),
    )
    expect(await list(store, everyone)).toStrictEqual(all)
  })

  it('returns an empty array when there are no vaults', async () => {
    expect(await list(createMemoryStore(), everyone)).toEqual([])
  })

  it('omits vaults that the caller cannot read', async () => {
    const { store } = await fourVaults()
    const caller = createCaller({
      id: 'some',
      vaults: {
        [idOf('d')]: 'read',
        [idOf('b')]: 'read-write',
        [idOf('a')]: 'write',
        [idOf('z')]: 'read',
      },
    })
    expect(await lettersOf(store, caller)).toBe('bd')
    expect(await lettersOf(store, createCaller({ id: 'none', vaults: {} }))).toBe('')
  })

  it('treats only true as a permission', async () => {
    const { store } = await fourVaults()
    const truthy: Caller = { id: 'truthy', can: () => 1 as unknown as boolean }
    expect(await lettersOf(store, truthy)).toBe('')
    const slow: Caller = { id: 'slow', can: async (_, vaultId) => vaultId === idOf('c') }
    expect(await lettersOf(store, slow)).toBe('c')
  })

  it('checks only the permission to read', async () => {
    const { store } = await fourVaults()
    const checks: string[] = []
    await list(store, { id: 'checked', can: (...call) => checks.push(call.join(' ')) > 0 })
    expect(checks).toEqual(['a', 'b', 'c', 'd'].map((letter) => `read ${idOf(letter)} listVaults`))
  })

  it('checks up to 32 vaults at a time', async () => {
    const { store, service } = await fourVaults()
    for (let count = 0; count < 60; count++) await service.createVault(everyone, { name: 'More' })
    let [current, most] = [0, 0]
    const slow: Caller = {
      id: 'slow',
      async can() {
        most = Math.max(most, ++current)
        await new Promise(setImmediate)
        current--
        return true
      },
    }
    expect(await list(store, slow)).toHaveLength(64)
    expect(most).toBe(32)
  })

  it('calls filterVaults once for a page of vaults, instead of can', async () => {
    const { store, service } = await fourVaults()
    await service.deleteVault(everyone, { vaultId: idOf('d') })
    const pages: unknown[] = []
    const caller: Caller = {
      id: 'filtered',
      can: () => expect.fail('can was called'),
      filterVaults: async (vaultIds) => {
        pages.push(vaultIds)
        return [idOf('b'), idOf('d'), idOf('z')]
      },
    }
    expect(await lettersOf(store, caller)).toBe('b')
    expect(pages).toEqual([[idOf('a'), idOf('b'), idOf('c')]])
  })

  it('calls filterVaults for many vaults when the limit is low', async () => {
    const { store, service } = await fourVaults()
    for (let count = 0; count < 200; count++) await service.createVault(everyone, { name: 'More' })
    let calls = 0
    const filterVaults = () => {
      calls++
      return []
    }
    expect(await list(store, { id: 'none', can: () => false, filterVaults }, { limit: 1 })).toEqual(
      [],
    )
    expect(calls).toBe(3)
  })

  it('handles the rejections of all checks when one of them throws', async () => {
    const { store } = await fourVaults()
    const unhandled: unknown[] = []
    const listener = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listener)
    const can = (_: unknown, vaultId: string) => {
      if (vaultId === idOf('d')) throw new Error('the pool is closed')
      return Promise.reject(new Error('no database'))
    }
    await expect(list(store, { id: 'x', can })).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', listener)
    expect(unhandled).toEqual([])
  })

  it('does not call filterVaults when there are no vaults', async () => {
    const caller: Caller = {
      id: 'filtered',
      can: () => true,
      filterVaults: () => expect.fail('filterVaults was called'),
    }
    expect(await list(createMemoryStore(), caller)).toEqual([])
  })

  it('fails when filterVaults does', async () => {
    const { store } = await fourVaults()
    const failure = new Error('no database')
    const caller: Caller = { id: 'x', can: () => true, filterVaults: () => Promise.reject(failure) }
    await expect(list(store, caller)).rejects.toBe(failure)
  })

  it('takes as long as one check for 21 vaults', async () => {
    const { store, service } = await fourVaults()
    for (let count = 0; count < 17; count++) await service.createVault(everyone, { name: 'More' })
    useVirtualTime()
    const slow: Caller = {
      id: 'slow',
      can: () => new Promise((resolve) => setTimeout(() => resolve(true), 20)),
    }
    const startedAt = performance.now()
    expect(await list(store, slow)).toHaveLength(21)
    expect(performance.now() - startedAt).toBe(20)
  })

  it('rejects a missing caller (401) before an invalid filter (400), without a read', async () => {
    const store = createRecordingStore()
    await expect(list(store, undefined, { filter: '(' })).rejects.toMatchObject(unauthorized)
    await expect(list(store, undefined)).rejects.toMatchObject(unauthorized)
    await expect(list(store, everyone, { filter: '(' })).rejects.toMatchObject(invalid())
    await expect(list(store, everyone, { limit: 0 })).rejects.toMatchObject(invalid())
    await expect(list(store, everyone, { after: 'x' })).rejects.toMatchObject(invalid())
    expect(store.calls).toEqual([])
  })

  it('leaves a corrupt record out', async () => {
    const { store } = await fourVaults()
    await store.records.put({ collection: 'vaults', id: idOf('e') }, { body: new Uint8Array(3) }, 0)
    expect(await lettersOf(store, everyone)).toBe('abcd')
    expect(
      await lettersOf(store, createCaller({ id: 'some', vaults: { [idOf('a')]: 'read' } })),
    ).toBe('a')
  })

  it('leaves a record of another vault out', async () => {
    const { store } = await fourVaults()
    const stored = await store.records.get({ collection: 'vaults', id: idOf('a') })
    if (stored === undefined) throw new Error('the vault does not exist')
    await store.records.put({ collection: 'vaults', id: idOf('e') }, { body: stored.body }, 0)
    expect(await lettersOf(store, everyone)).toBe('abcd')
  })
})

describe('listVaults with a filter', () => {
  it.each([
    ['name eq "Work"', 'bc'],
    ['title eq "Work"', 'bc'],
    ['name co "r"', 'abcd'],
    ['name co "or"', 'bc'],
    ['name eq "my "other" vault"', 'd'],
    ['name eq "work"', ''],
    ['name eq "Private" or title eq "Work"', 'abc'],
    ['', 'abcd'],
  ])('returns the matching vaults for %s', async (filter, letters) => {
    const { store } = await fourVaults()
    expect(await lettersOf(store, everyone, { filter })).toBe(letters)
  })

  it('rejects tags, which vaults do not have', async () => {
    const { store } = await fourVaults()
    await expect(
      list(store, everyone, { filter: 'name eq "a" or tag eq "b"' }),
    ).rejects.toMatchObject(
      invalid(
        expect.stringMatching(/^filter must compare one of the attributes .* at character 16$/),
      ),
    )
  })

  it.each<[string, VaultStore]>([
    ['a store', createMemoryStore()],
    ['an encrypted store', encryptStore()],
  ])('lists only vaults of that name in %s', async (_, inner) => {
    const { store } = await fourVaults(inner)
    const watched = recordPages(store)
    expect(await lettersOf(watched, everyone, { filter: 'name eq "Work"' })).toBe('bc')
    expect(await lettersOf(watched, everyone, { filter: 'name eq "WORK"' })).toBe('')
    const caseless = { filter: 'name eq "WORK"', ignoreCase: true }
    expect(await lettersOf(watched, everyone, caseless)).toBe('bc')
    expect(watched.pages).toStrictEqual(Array(3).fill({ limit: 500, indexKey: 'work' }))
  })
})

describe('listVaults with limit and after', () => {
  it('returns pages of the vaults that the caller can read', async () => {
    const { store } = await fourVaults()
    const caller = createCaller({
      id: 'some',
      vaults: {
        [idOf('a')]: 'read',
        [idOf('c')]: 'read',
        [idOf('d')]: 'read',
      },
    })
    expect(await lettersOf(store, caller, { limit: 2 })).toBe('ac')
    expect(await lettersOf(store, caller, { limit: 2, after: idOf('c') })).toBe('d')
    expect(await lettersOf(store, caller, { limit: 2, after: idOf('d') })).toBe('')
  })
})

/** Creates vaults with the ids `a...`, `b...`, `c...` and `d...`. */
async function fourVaults(store: VaultStore = createMemoryStore()) {
  const service = createVaultService({ store, randomBytes: createSeededRandomBytes() })
  for (const [letter, name] of Object.entries(names).reverse())
    await service.createVault(everyone, { vaultId: idOf(letter), name })
  return { store, service }
}

function list(store: VaultStore, caller: Caller | undefined, input: ListVaultsInput = {}) {
  const request = inProcess(caller, input)
  return execute(createContext({ store }), listVaults, request)
}

async function lettersOf(...call: Parameters<typeof list>): Promise<string> {
  return (await list(...call)).map(({ id }) => id[0]).join('')
}
