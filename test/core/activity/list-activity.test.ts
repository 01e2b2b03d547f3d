import { describe, expect, it, vi } from 'vitest'
import {
  type ActivityEntry,
  type ActivityLog,
  type Caller,
  createCaller,
  createMemoryActivityLog,
  createVaultService,
  StorageError,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { TestVault } from '../../../src/testing.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { requestTo, saidIn } from '../../support/http/requests.js'
import { entryOf } from '../../support/service/activity-entries.js'
import { storageFailed } from '../../support/service/rejections.js'

const mine = 'v'.repeat(26)
const theirs = 'w'.repeat(26)
const everyone = createCaller('tester', '*')

describe('listActivity', () => {
  it('gives the event loop a turn while it walks a long log', async () => {
    const service = serviceOver(Array(2000).fill(entryOf('tester')))
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    expect((await service.listActivity(everyone, {})).total).toBe(2000)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(3)
  })
})

/** A service whose log holds these entries and takes no more. */
function serviceOver(entries: readonly ActivityEntry[]) {
  const activity: ActivityLog = {
    record: async () => {},
    async *entries() {
      yield* entries
    },
  }
  return createVaultService({ store: createMemoryStore(), activity })
}

function inVault(id: string, actorId: string): ActivityEntry {
  return { ...entryOf(actorId), resource: { type: 'VAULT', vault: { id } } }
}

const many = Array.from({ length: 1134 }, (_, index) => inVault(mine, String(index)))
const idsOf = (entries: readonly ActivityEntry[]) => entries.map(({ actor }) => actor.id)

describe('listActivity', () => {
  it('answers the first 50, and how many there are in all', async () => {
    const page = await serviceOver(many).listActivity(everyone, {})
    expect(page).toEqual({ entries: many.slice(0, 50), total: 1134 })
  })

  it.each([
    [{ limit: 3 }, ['0', '1', '2']],
    [{ limit: 2, offset: 1 }, ['1', '2']],
    [{ limit: 1000, offset: 1132 }, ['1132', '1133']],
    [{ offset: 1134 }, []],
    [{ offset: 99_999 }, []],
    [{ limit: undefined, offset: undefined }, idsOf(many.slice(0, 50))],
  ])('answers the part %j', async (input, ids) => {
    const { entries, total } = await serviceOver(many).listActivity(everyone, input)
    expect([idsOf(entries), total]).toEqual([ids, 1134])
  })

  it.each([{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { offset: -1 }, { offset: '1' }])(
    'refuses the part %j',
    async (input) => {
      const call = serviceOver(many).listActivity(everyone, input as { limit: number })
      await expect(call).rejects.toMatchObject({ status: 400 })
    },
  )

  it('is for nobody who is not known', async () => {
    await expect(serviceOver(many).listActivity(undefined, {})).rejects.toMatchObject({
      status: 401,
    })
  })

  it('answers and counts what was done to the vaults that the caller may read, and nothing else', async () => {
    const service = serviceOver([inVault(mine, 'a'), inVault(theirs, 'b'), inVault(mine, 'c')])
    const rights = { reader: 'read', writer: 'write' } as const
    const seen = await Promise.all(
      Object.entries(rights).map(async ([id, right]) => {
        const page = await service.listActivity(createCaller(id, { [mine]: right }), {})
        return [idsOf(page.entries), page.total]
      }),
    )
    expect(seen).toEqual([
      [['a', 'c'], 2],
      [[], 0],
    ])
  })

  it('answers what names no vault to its actor only', async () => {
    const service = serviceOver([entryOf('me'), entryOf('you'), entryOf(''), entryOf('7')])
    const listFor = async (id: unknown) =>
      idsOf((await service.listActivity(createCaller(id as string, '*'), {})).entries)
    expect(await listFor('me')).toEqual(['me'])
    expect(await listFor(7)).toEqual(['7'])
  })

  it('asks once for each vault, and takes nothing but true for yes', async () => {
    const can = vi.fn((_access: string, vaultId: string) => (vaultId === mine ? 1 : true))
    const caller = { id: 'x', can } as unknown as Caller
    const entries = [mine, theirs, mine, theirs, theirs].map((id) => inVault(id, id))
    const { total } = await serviceOver(entries).listActivity(caller, {})
    expect(total).toBe(3)
    expect(can.mock.calls).toEqual([
      ['read', mine],
      ['read', theirs],
    ])
  })

  it('answers nothing where nothing is recorded', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    expect(await service.listActivity(everyone, {})).toEqual({ entries: [], total: 0 })
  })

  it('lists its own calls from the next one on', async () => {
    const activity = createMemoryActivityLog()
    const service = createVaultService({ store: createMemoryStore(), activity })
    expect((await service.listActivity(everyone, {})).total).toBe(0)
    const { entries } = await service.listActivity(everyone, {})
    expect(entries).toMatchObject([{ action: 'READ', resource: { type: 'VAULT' } }])
  })

  it.each([
    ['an error of its own', new Error('secret words')],
    ['an error of the library', new StorageError('the store failed')],
  ])('fails as a store does when the log fails with %s', async (_, error) => {
    const activity: ActivityLog = {
      record: async () => {},
      // biome-ignore lint/correctness/useYield: it fails before its first entry.
      async *entries() {
        throw error
      },
    }
    const service = createVaultService({ store: createMemoryStore(), activity })
    const failure = await service.listActivity(everyone, {}).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(StorageError)
    expect(String((failure as Error).cause)).not.toContain('secret')
  })

  it.each([
    ['nothing', null],
    ['text', 'secret words'],
    ['what lacks its actor', { ...entryOf('tester'), actor: undefined }],
  ])('fails as a store does when the log holds %s in the place of an entry', async (_, entry) => {
    const listed = serviceOver([entry as unknown as ActivityEntry]).listActivity(everyone, {})
    await expect(listed).rejects.toMatchObject({
      ...storageFailed,
      message: 'the activity log holds no entry there',
    })
  })
})

describe('GET /v1/activity', () => {
  async function withActivity(calls: number): Promise<TestVault> {
    const vault = await createTestVault({ activity: createMemoryActivityLog() })
    for (let call = 0; call < calls; call++)
      await vault.service.getVault(vault.caller, { vaultId: vault.vaultId })
    return vault
  }
  const get = (vault: TestVault, query: string) =>
    vault.handler(requestTo(vault, 'GET', `/v1/activity${query}`))

  it('answers a part of the entries, and which part of how many it is', async () => {
    const vault = await withActivity(60)
    const response = await get(vault, '')
    expect(saidIn(response)).toMatchObject({ status: 200, body: { length: 50 } })
    expect(response.headers['content-range']).toBe('1-50/65')
    const { headers, body } = await get(vault, '?limit=20&offset=50')
    expect(headers['content-range']).toBe('51-66/66')
    expect(JSON.parse(String(body))).toHaveLength(16)
  })

  it('says that there is nothing, and nothing behind the end', async () => {
    const vault = await createTestVault()
    expect((await get(vault, '')).headers['content-range']).toBe('*/0')
    expect((await get(await withActivity(0), '?offset=5')).headers['content-range']).toBe('*/5')
  })

  it('gives each entry as it was recorded', async () => {
    const vault = await withActivity(1)
    const { body } = saidIn(await get(vault, '?limit=1'))
    expect(body).toEqual([
      {
        requestId: expect.stringMatching(/^[\da-f-]{36}$/),
        timestamp: '2026-01-01T00:00:00.000Z',
        action: 'READ',
        result: 'SUCCESS',
        actor: { id: 'tester' },
        resource: { type: 'VAULT', vault: { id: vault.vaultId } },
      },
    ])
  })

  it.each(['limit=0', 'limit=1001', 'limit=x', 'offset=-1', 'offset=1.5', 'limit=1&limit=2'])(
    'refuses %s with 400',
    async (query) => {
      const vault = await withActivity(0)
      expect((await get(vault, `?${query}`)).status).toBe(400)
    },
  )

  it('shows a caller only what he may read', async () => {
    const vault = await withActivity(2)
    const by = (token: 'reader' | 'otherVault') =>
      vault.handler(
        requestTo(vault, 'GET', '/v1/activity', {
          headers: { authorization: `Bearer ${vault.tokens[token]}` },
        }),
      )
    expect((await by('reader')).headers['content-range']).toBe('1-7/7')
    expect((await by('otherVault')).headers['content-range']).toBe('*/0')
  })
})
