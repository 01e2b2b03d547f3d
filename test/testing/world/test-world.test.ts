import { OnePasswordConnect } from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTestVault, parseSeed, type TestWorld } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { noteDraft } from '../../support/drafts.js'

const seed = parseSeed({
  vaults: [
    {
      name: 'Shop',
      items: [
        {
          category: 'DATABASE',
          title: 'Orders',
          fields: [{ id: 'password', type: 'CONCEALED', value: 'hunter2' }],
          files: [{ name: 'ca.pem', content: 'certificate' }],
        },
        { category: 'SECURE_NOTE', title: 'Twice' },
      ],
    },
    { name: 'Home', id: 'h'.repeat(26), items: [{ category: 'SECURE_NOTE', title: 'Twice' }] },
  ],
})

const title = (value: string) => [{ op: 'replace', path: '/title', value }] as const

/** Returns everything that a caller can read, with the contents of all files. */
async function readAll({ service, caller }: TestWorld): Promise<unknown> {
  const vaults = await service.listVaults(caller)
  const items = vaults.map(async ({ id: vaultId }) => {
    const summaries = await service.listItems(caller, { vaultId })
    return Promise.all(
      summaries.map(async ({ id: itemId }) => [
        await service.getItem(caller, { vaultId, itemId }),
        await service.listFiles(caller, { vaultId, itemId, inlineFiles: false }),
      ]),
    )
  })
  return [vaults, await Promise.all(items)]
}

describe('createTestVault with a seed', () => {
  it('has exactly the vaults, items and files of the seed', async () => {
    const world = await createTestVault({ seed })
    const { service, caller, vaultId, vaults } = world
    expect(vaults.map(({ vault, items }) => [vault.name, items.length])).toEqual([
      ['Shop', 2],
      ['Home', 1],
    ])
    expect((await service.listVaults(caller)).map(({ name }) => name).sort()).toEqual([
      'Home',
      'Shop',
    ])
    expect(vaultId).toBe(vaults[0]?.vault.id)
    const orders = await world.findItem('Orders')
    expect(orders).toEqual(vaults[0]?.items[0])
    const [file] = orders.files
    const ref = { vaultId, itemId: orders.id, fileId: file?.id ?? '' }
    const { content } = await service.readFileContent(caller, ref)
    expect(await new Response(content).text()).toBe('certificate')
    expect(world).not.toHaveProperty('item')
  })

  it('creates the same ids every time', async () => {
    const [left, right] = [await createTestVault({ seed }), await createTestVault({ seed })]
    expect(left.vaults).toEqual(right.vaults)
  })

  it('gives the tokens permissions for the first vault', async () => {
    const { fetch, tokens, vaultId } = await createTestVault({ seed })
    const statusOf = async (token: string, id: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`/v1/vaults/${id}/items`, { headers })).status
    }
    expect(await statusOf(tokens.reader, vaultId)).toBe(200)
    expect(await statusOf(tokens.reader, 'h'.repeat(26))).toBe(403)
    expect(await statusOf(tokens.full, 'h'.repeat(26))).toBe(200)
  })

  it('rejects when the seed is invalid or has no vault', async () => {
    const invalid = { vaults: [{ name: 'a', items: [{ category: 'NONE' }] }] } as never
    await expect(createTestVault({ seed: invalid })).rejects.toMatchObject({
      issues: [{ path: 'vaults/0/items/0/category' }],
    })
    const message = 'options.seed must be a seed with at least one vault'
    const empty = createTestVault({ seed: { vaults: [] } })
    await expect(empty).rejects.toThrow(new TypeError(message))
  })
})

describe('findItem', () => {
  it('returns the only item with the title, and rejects if it is not the only one', async () => {
    const world = await createTestVault({ seed })
    expect(await world.findItem('Twice', 'Home')).toMatchObject({ vault: { id: 'h'.repeat(26) } })
    await expect(world.findItem('Twice')).rejects.toThrow(
      'findItem: 2 items have this title in any vault',
    )
    await expect(world.findItem('Orders', 'Home')).rejects.toThrow(
      'findItem: no item has this title in a vault with this name',
    )
    await expect(world.findItem(7 as never)).rejects.toThrow(
      new TypeError('title must be a string'),
    )
  })
})

describe('snapshot and reset', () => {
  it('return to the seed, with the same ids and times afterwards', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId, item, clock } = world
    const before = await readAll(world)
    const change = async () => {
      clock.advance(60_000)
      const { id } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      await service.attachFile(caller, {
        vaultId,
        itemId: id,
        name: 'a.bin',
        content: new Uint8Array(100_000),
      })
      await service.deleteItem(caller, { vaultId, itemId: item.id })
      return readAll(world)
    }
    const first = await change()
    expect(first).not.toEqual(before)
    await world.reset()
    expect(await readAll(world)).toEqual(before)
    expect(await change()).toEqual(first)
  })

  it('returns to a snapshot as often as it is called, with contents of any size', async () => {
    const world = await createTestVault({ seed })
    const { service, caller, vaultId, clock } = world
    const { id: itemId } = await world.findItem('Orders')
    clock.advance(1000)
    for (const size of [0, 70_000])
      await service.attachFile(caller, {
        vaultId,
        itemId,
        name: `${size}`,
        content: new Uint8Array(size).fill(7),
      })
    const snapshot = await world.snapshot()
    const saved = await readAll(world)
    for (const name of ['a', 'b']) {
      await service.patchItem(caller, { vaultId, itemId, patch: title(name) })
      const { files } = await service.getItem(caller, { vaultId, itemId })
      for (const { id: fileId } of files)
        await service.removeFile(caller, { vaultId, itemId, fileId })
      await world.reset(snapshot)
      expect(await readAll(world)).toEqual(saved)
      expect(clock().toISOString()).toBe(snapshot.time)
      const fileId = files.at(-1)?.id ?? ''
      const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
      expect((await new Response(content).arrayBuffer()).byteLength).toBe(70_000)
    }
  })

  it('forgets the changes and keeps listeners', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId, item } = world
    const ref = { vaultId, itemId: item.id }
    const events: unknown[] = []
    const remove = service.on('item.updated', ({ version }) => events.push(version))
    for (const name of ['a', 'b']) await service.patchItem(caller, { ...ref, patch: title(name) })
    await world.reset()
    const patch = [{ op: 'add', path: '/tags/-', value: 'new' }] as const
    expect(await service.patchItem(caller, { ...ref, patch })).toMatchObject({
      title: 'Example',
      version: 4,
    })
    remove()
    await service.patchItem(caller, { ...ref, patch: title('c') })
    expect(events).toEqual([4, 5, 4])
  })

  it('opens a service again that was closed', async () => {
    const world = await createTestVault()
    await world.service.close()
    await expect(world.service.listVaults(world.caller)).rejects.toMatchObject({ status: 503 })
    await world.reset()
    expect(await world.service.listVaults(world.caller)).toHaveLength(1)
  })

  it('makes calls in progress fail without an effect', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId } = world
    const created = service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const failed = expect(created).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await world.reset()
    await failed
    expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
  })

  it('prints no content', async () => {
    const snapshot = await (await createTestVault({ seed })).snapshot()
    expect(JSON.stringify(snapshot)).toBe('{"time":"2026-01-01T00:00:00.000Z"}')
    expect(Reflect.ownKeys(snapshot)).toEqual(['time'])
  })

  it('reject for a store of the tester, and for anything but a snapshot', async () => {
    const own = await createTestVault({ store: createMemoryStore() })
    const message = 'a vault with an own store has no snapshots: leave out options.store'
    for (const call of [own.snapshot, own.reset, own.fork])
      await expect(call()).rejects.toThrow(message)
    const world = await createTestVault()
    for (const value of [null, {}, { time: '2026-01-01T00:00:00.000Z' }])
      await expect(world.reset(value as never)).rejects.toThrow(
        new TypeError('snapshot must be the result of snapshot()'),
      )
  })
})

describe('fork', () => {
  it('returns a copy that changes independently, and can be reset to the same snapshots', async () => {
    const world = await createTestVault({}, { extensions: true })
    const { caller, vaultId, item, tokens } = world
    const ref = { vaultId, itemId: item.id }
    await world.service.patchItem(caller, { ...ref, patch: title('Before') })
    world.clock.advance(5000)
    const snapshot = await world.snapshot()
    const fork = await world.fork()
    expect(await readAll(fork)).toEqual(await readAll(world))
    expect(fork.clock()).toEqual(world.clock())
    expect([fork.item, fork.tokens, fork.vaults]).toEqual([item, tokens, world.vaults])

    await fork.service.patchItem(caller, { ...ref, patch: title('Fork') })
    await world.service.patchItem(caller, { ...ref, patch: title('World') })
    expect([(await fork.findItem('Fork')).id, (await world.findItem('World')).id]).toEqual([
      item.id,
      item.id,
    ])
    await fork.reset(snapshot)
    expect(await fork.findItem('Before')).toMatchObject({ version: 4 })
    await fork.reset()
    expect(await fork.findItem('Example')).toEqual(item)
  })

  it('generates the values that the original would have generated', async () => {
    const world = await createTestVault()
    const fork = await world.fork()
    const generated = [world, fork].map(({ service, caller, vaultId }) =>
      service.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
    )
    const [left, right] = await Promise.all(generated)
    expect(left).toEqual(right)
  })
})

describe('crash', () => {
  it('keeps what was acknowledged, and the clock', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId, clock } = world
    clock.advance(1000)
    const { id } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const before = await readAll(world)
    expect(await world.crash()).toBe(false)
    expect(await readAll(world)).toEqual(before)
    expect(clock().toISOString()).toBe('2026-01-01T00:00:01.000Z')
    const next = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    expect(next.id).not.toBe(id)
  })

  it('leaves the pending blob of an upload for collectGarbage', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId, item, clock } = world
    const ref = { vaultId, itemId: item.id }
    let outcome: Promise<unknown> = Promise.resolve()
    const isReached = await world.crash({
      during: () => {
        const content = new Uint8Array(2000)
        outcome = service.attachFile(caller, { ...ref, name: 'lost.bin', content })
        return outcome
      },
      at: ({ store, method }) => (store === 'blobs' && method === 'write' ? 'after' : undefined),
    })
    await expect(outcome).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 })
    expect(isReached).toBe(true)
    expect((await service.getItem(caller, ref)).files).toEqual(item.files)
    clock.advance(3_600_000)
    const report = await service.collectGarbage(caller, { vaultId, minAgeMs: 60_000 })
    expect(JSON.stringify(report)).toMatch(/1/)
  })

  it('leaves an item before or after its change, at every call and moment', async () => {
    const start = await createTestVault({ history: { maxVersions: 2 } })
    const { vaultId, item, caller } = start
    const ref = { vaultId, itemId: item.id }
    for (const moment of ['before', 'after'] as const) {
      const titles: unknown[] = []
      for (let index = 0; ; index++) {
        const world = await start.fork()
        const change = () => world.service.patchItem(caller, { ...ref, patch: title('New') })
        const at = (call: { readonly index: number }) => (call.index === index ? moment : undefined)
        const isReached = await world.crash({ during: change, at })
        const stored = await world.service.getItem(caller, ref)
        titles.push(stored.title)
        expect([stored.title, stored.version]).toEqual(
          stored.title === 'New' ? ['New', 4] : ['Example', 3],
        )
        if (!isReached) break
      }
      expect(titles[0]).toBe('Example')
      expect(titles.at(-1)).toBe('New')
      expect(titles.length).toBeGreaterThan(2)
    }
  })

  it('interrupts a stream that is being stored', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId, item } = world
    let isCancelled = false
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel() {
        isCancelled = true
      },
    })
    const ref = { vaultId, itemId: item.id }
    const upload = service.attachFile(caller, { ...ref, name: 'a', content })
    const failed = expect(upload).rejects.toMatchObject({ status: 503 })
    await new Promise((resolve) => setTimeout(resolve, 10))
    await world.crash()
    await failed
    expect((await service.getItem(caller, ref)).files).toHaveLength(2)
    expect(isCancelled).toBe(true)
  })

  it('works on a store of the tester, such as an encrypted one', async () => {
    const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(1) })
    const store = createEncryptedStore(createMemoryStore(), { keys })
    const world = await createTestVault({ store, seed })
    await world.crash()
    expect((await world.findItem('Orders')).fields[0]?.value).toBe('hunter2')
  })

  it('removes listeners', async () => {
    const world = await createTestVault()
    const { service, caller, vaultId } = world
    const events: unknown[] = []
    service.on('item.created', (event) => events.push(event))
    await world.crash()
    await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    expect(events).toEqual([])
  })

  it.each(['before', 'after'] as const)('cuts requests that die %s a call', async (moment) => {
    const world = await createTestVault({}, { onError() {} })
    const { vaultId, tokens } = world
    const server = await world.listen()
    onTestFinished(() => server.close())
    const headers = { authorization: `Bearer ${tokens.full}` }
    const path = `/v1/vaults/${vaultId}/items`
    for (const request of [world.fetch, fetch]) {
      let response: Promise<Response> | undefined
      const isReached = await world.crash({
        during: () => {
          response = request(server.origin + path, { headers })
          return response
        },
        at: ({ method }) => (method === 'list' ? moment : undefined),
      })
      expect(isReached).toBe(true)
      await expect(response).rejects.toThrow('fetch failed')
      expect((await request(server.origin + path, { headers })).status).toBe(200)
    }
  })

  it('rejects with an error of at, and with TypeError for anything but a crash point', async () => {
    const world = await createTestVault()
    const point = {
      during: () => world.service.listVaults(world.caller),
      at: () => {
        throw new Error('a mistake')
      },
    }
    await expect(world.crash(point)).rejects.toThrow('a mistake')
    expect(await world.service.listVaults(world.caller)).toHaveLength(1)
    await expect(world.crash({ during: () => {} } as never)).rejects.toThrow(
      new TypeError('point.at must be a function'),
    )
  })

  it('loses no acknowledged change, in any order of changes, crashes, snapshots and resets', async () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('change' as const), name: fc.string({ maxLength: 3 }) }),
      fc.record({ type: fc.constantFrom('crash' as const, 'snapshot' as const, 'reset' as const) }),
    )
    const start = await createTestVault()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { caller, vaultId, item } = start
        const world = await start.fork()
        const ref = { vaultId, itemId: item.id }
        let expected = { title: item.title, version: item.version }
        let saved = { snapshot: await world.snapshot(), expected }
        for (const each of steps) {
          if (each.type === 'change') {
            await world.service.patchItem(caller, { ...ref, patch: title(each.name) })
            expected = { title: each.name, version: expected.version + 1 }
          } else if (each.type === 'crash') await world.crash()
          else if (each.type === 'snapshot') saved = { snapshot: await world.snapshot(), expected }
          else {
            await world.reset(saved.snapshot)
            expected = saved.expected
          }
          expect(await world.service.getItem(caller, ref)).toMatchObject(expected)
        }
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

describe('fetch and listen', () => {
  it('serve the published client on a socket', async () => {
    const world = await createTestVault({ dialect: connectDialect })
    const { origin, close } = await world.listen()
    onTestFinished(close)
    const client = OnePasswordConnect({ serverURL: origin, token: world.tokens.full })
    expect(await client.getItemByTitle(world.vaultId, 'Example')).toMatchObject({
      id: world.item.id,
    })
    await close()
    await expect(fetch(origin)).rejects.toThrow('fetch failed')
  })

  it('accept relative URLs, URLs and requests, with bodies', async () => {
    const { fetch, tokens, vaultId } = await createTestVault()
    const headers = { authorization: `Bearer ${tokens.full}`, 'content-type': 'application/json' }
    const path = `/v1/vaults/${vaultId}/items`
    const url = new URL(path, 'https://connect.example.com')
    const body = JSON.stringify(noteDraft(vaultId))
    const responses = [
      await fetch(path, { headers }),
      await fetch(url, { headers }),
      await fetch(url.href, { headers }),
      await fetch(new Request(url, { headers, method: 'POST', body })),
      await fetch(path, { headers, method: 'POST', body }),
      await fetch(path),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 401])
  })

  it('reject when the signal is aborted, before or during the request', async () => {
    const world = await createTestVault()
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(world.fetch('/heartbeat', { signal })).rejects.toThrow('too late')
    const controller = new AbortController()
    const response = world.fetch('/v1/vaults', {
      signal: controller.signal,
      headers: { authorization: `Bearer ${world.tokens.full}` },
    })
    controller.abort()
    await expect(response).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('rejects when the port is in use', async () => {
    const world = await createTestVault()
    const { origin, close } = await world.listen()
    onTestFinished(close)
    await expect(world.listen(Number(new URL(origin).port))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })
})
