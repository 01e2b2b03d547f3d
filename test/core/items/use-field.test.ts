import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import {
  createVaultService,
  isVaultError,
  SecretUseError,
  type UseFieldInput,
} from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest, parseResponse } from '../../support/http/requests.js'
import { itemRef } from '../../support/items/refs.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { exampleUse } from '../../support/service/operation-examples.js'
import { forbidden, invalid, notFound } from '../../support/service/rejections.js'
import { vaultCalls } from '../../support/service/vault-calls.js'
import { delayCalls } from '../../support/stores/contended-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const refused = {
  code: 'SECRET_USE_REFUSED',
  status: 403,
  message: 'the item has no URL of this origin',
}

const keptMessage = 'a refresh token can only be used by its token keeper'

function useField(vault: TestVault, changes: Partial<UseFieldInput> = {}): Promise<string> {
  const input = { ...itemRef(vault), field: 'pin', use: exampleUse, ...changes }
  return vault.service.useField(vault.caller, input)
}

const useOf = (origin: string, method = 'GET') => ({ use: { origin, method } })

/** Creates a vault in the connect dialect, whose item has these URLs. */
async function createVaultWith(...hrefs: readonly string[]): Promise<TestVault> {
  const vault = await createTestVault({ dialect: connectDialect })
  const { service, caller, vaultId } = vault
  const draft = noteDraft(vaultId, {
    urls: hrefs.map((href) => ({ href })),
    fields: [{ id: 'pin', type: 'CONCEALED', value: '1234' }, { id: 'empty' }],
  })
  return { ...vault, item: await service.createItem(caller, { vaultId, item: draft }) }
}

describe('useField', () => {
  it('returns the value for an origin of the item, after one store call', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    expect(await useField({ ...vault, service })).toBe('1234')
    expect(store.calls).toEqual(['records.get'])
    expect(await useField(vault, { field: 'PIN', section: 'More' })).toBe('1234')
  })

  it.each([
    ['computes no id of a credential when nothing is recorded', undefined, 0],
    [
      'computes the id of its credential and grant when uses are recorded',
      createMemoryActivityLog(),
      2,
    ],
  ])('%s', async (_, activity, count) => {
    const vault = await createTestVault({ activity })
    const { service, caller, vaultId } = vault
    const urls = [{ href: exampleUse.origin }]
    const fields = ['credential.name', 'name', 'pin'].map((id) => ({ id, value: '1234' }))
    const item = await service.createItem(caller, {
      vaultId,
      item: noteDraft(vaultId, { urls, fields }),
    })
    const digest = vi.spyOn(crypto.subtle, 'digest')
    onTestFinished(() => digest.mockRestore())
    expect(await useField({ ...vault, item })).toBe('1234')
    expect(digest).toHaveBeenCalledTimes(count)
  })

  it('returns an empty string for a field without a value', async () => {
    const vault = await createVaultWith('https://api.example')
    expect(await useField(vault, { field: 'empty', ...useOf('https://api.example') })).toBe('')
  })

  it.each([
    ['https://api.example/v1?x=1#y', 'https://api.example'],
    ['HTTPS://API.example:443/v1', 'https://api.example'],
    ['https://api.example:8443', 'https://api.example:8443'],
    ['https://wendy:hunter2@api.example/', 'https://api.example'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
  ])('allows the origin of the URL %s', async (href, origin) => {
    const vault = await createVaultWith('https://first.example', href)
    expect(await useField(vault, useOf(origin))).toBe('1234')
  })

  it.each([
    ['https://api.example', 'http://api.example'],
    ['https://api.example', 'https://api.example:8443'],
    ['https://api.example', 'https://evil.example'],
    ['https://api.example', 'https://api.example.evil.example'],
    ['https://api.example', 'https://sub.api.example'],
    ['https://api.example@evil.example', 'https://api.example'],
    ['https://evil.example/https://api.example', 'https://api.example'],
    ['api.example', 'https://api.example'],
    ['', 'https://api.example'],
    ['mailto:a@api.example', 'https://api.example'],
  ])('refuses, of an item with the URL %s, the origin %s', async (href, origin) => {
    const error = await useField(await createVaultWith(href), useOf(origin)).catch((one) => one)
    expect(error).toMatchObject(refused)
    expect(error).toBeInstanceOf(SecretUseError)
    expect(isVaultError(error)).toBe(true)
    expect(inspect(error)).not.toMatch(/1234|api\.example|evil/)
  })

  it('refuses every origin of an item without URLs', async () => {
    await expect(useField(await createVaultWith())).rejects.toMatchObject(refused)
  })

  it('checks the origin before it looks for the field', async () => {
    const vault = await createTestVault()
    const other = useOf('https://evil.example')
    await expect(useField(vault, { field: 'nothing', ...other })).rejects.toMatchObject(refused)
    await expect(useField(vault, { field: 'nothing' })).rejects.toMatchObject(
      notFound('field', 'nothing'),
    )
  })

  it('refuses the refresh token of an item, whatever its label and its type are', async () => {
    const vault = await createVaultWith('https://api.example')
    const { service, caller } = vault
    const field = { id: 'refresh_token', label: 'Key', type: 'STRING', value: '1234' }
    const patch = [{ op: 'add', path: '/fields/-', value: field }] as const
    await service.patchItem(caller, { ...itemRef(vault), patch })
    const kept = { code: 'SECRET_USE_REFUSED', message: keptMessage }
    for (const name of ['refresh_token', 'Key'])
      await expect(
        useField(vault, { field: name, ...useOf('https://api.example') }),
      ).rejects.toMatchObject(kept)
    expect(await useField(vault, useOf('https://api.example'))).toBe('1234')
    expect((await service.getField(caller, { ...itemRef(vault), field: 'Key' })).value).toBe('1234')
  })

  it('returns, of the concealed fields of a grant, only the access token', async () => {
    const vault = await createVaultWith('https://api.example')
    const { service, caller } = vault
    const fields = [
      { id: 'credential', type: 'CONCEALED', value: 'a' },
      { id: 'issued_at', value: 'b' },
      { id: 'status', value: 'none' },
      { id: 'other', type: 'CONCEALED', value: 'the refresh token' },
    ]
    const patch = fields.map((value) => ({ op: 'add', path: '/fields/-', value }) as const)
    await service.patchItem(caller, { ...itemRef(vault), patch })
    const use = (field: string) => useField(vault, { field, ...useOf('https://api.example') })
    expect(await use('other')).toBe('the refresh token')
    for (const status of ['ok', 'uncertain', 'reconnect']) {
      const change = [{ op: 'replace', path: '/fields/status/value', value: status }] as const
      await service.patchItem(caller, { ...itemRef(vault), patch: change })
      expect([await use('credential'), await use('issued_at')]).toEqual(['a', 'b'])
      await expect(use('other')).rejects.toMatchObject({ message: keptMessage })
    }
    const removed = [{ op: 'remove', path: '/fields/issued_at' }] as const
    await service.patchItem(caller, { ...itemRef(vault), patch: removed })
    expect(await use('other')).toBe('the refresh token')
  })

  it.each([
    ...[
      '',
      'null',
      'https://',
      'https://api.example/',
      'https://api.example/a',
      'HTTPS://a.example',
    ],
    ...[
      'https://a.example:443',
      'https://u:p@a.example',
      'mailto:a@b.example',
      ' https://a.example',
    ],
    ...['https://a.example\n', `https://${'a.'.repeat(300)}example`, 'data:,x', 'file:///etc'],
  ])('rejects %j, which is not an origin', async (origin) => {
    await expect(useField(await createTestVault(), useOf(origin))).rejects.toMatchObject(
      invalid(expect.stringMatching(/^use\/origin must be /)),
    )
  })

  it.each(['', 'GET ', 'GET\r\nHost: x', 'GÉT', 'x'.repeat(33)])(
    'rejects %j, which is not a method',
    async (method) => {
      await expect(
        useField(await createTestVault(), useOf(exampleUse.origin, method)),
      ).rejects.toMatchObject(invalid('use/method has an invalid format'))
    },
  )

  it('never returns the value of one version for an origin of another', async () => {
    const vault = await createTestVault()
    const { caller } = vault
    const store = delayCalls(vault.store, () => new Promise((resolve) => setImmediate(resolve)))
    const [here, there] = [createVaultService({ store }), createVaultService({ store })]
    const states = [
      { origin: exampleUse.origin, value: '1234' },
      { origin: 'https://new.example', value: '9999' },
    ]
    const seen = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const { origin, value = '' } = states[round % 2] ?? { origin: '' }
      const patch = [
        { op: 'replace', path: '/urls', value: [{ href: origin }] },
        { op: 'replace', path: '/fields/pin/value', value },
      ] as const
      const uses = Array.from({ length: 8 }, async (_, index) => {
        // Each begins in another turn of the event loop.
        for (let turn = 0; turn < index; turn++)
          await new Promise((resolve) => setImmediate(resolve))
        const use = useOf(states[index % 2]?.origin ?? '')
        const used = useField({ ...vault, service: there }, use).catch(({ code }) => code)
        seen.add(`${use.use.origin} ${await used}`)
      })
      await Promise.all([here.patchItem(caller, { ...itemRef(vault), patch }), ...uses])
    }
    expect([...seen].sort()).toEqual(
      states
        .flatMap(({ origin, value }) => [`${origin} ${value}`, `${origin} ${refused.code}`])
        .sort(),
    )
  })

  it('is a permission of its own: a caller who has only this one can read nothing', async () => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    const { service, vaultId, item, smallFile } = vault
    const checks: unknown[] = []
    const can = (...check: unknown[]): boolean => {
      checks.push(check)
      return check[2] === 'useField'
    }
    const agent = { id: 'agent', can }
    const ref = { vaultId, itemId: item.id, fileId: smallFile.id }
    for (const { name, run } of vaultCalls) {
      if (name === 'useField') continue
      await expect(run(service, agent, ref)).rejects.toMatchObject(forbidden(vaultId))
    }
    checks.length = 0
    expect(await useField({ ...vault, caller: agent })).toBe('1234')
    expect(checks).toEqual([['read', vaultId, 'useField', item.id]])
  })

  it('records the origin, the method and the field, but no outcome and no value', async () => {
    const activity = createSpyLog()
    const vault = await createTestVault({ activity, strict: false })
    const { vaultId, item } = vault
    activity.collected.length = 0
    await useField(vault)
    await useField(vault, useOf('https://evil.example')).catch(() => {})
    await useField(vault, { use: { ...exampleUse, status: 200 } as never }).catch(() => {})
    await useField(vault, useOf('https://evil.example/path')).catch(() => {})
    await useField(vault, { use: undefined as never }).catch(() => {})
    const denied = { operation: 'useField', action: 'READ', result: 'DENY' }
    const resource = { type: 'ITEM', vault: { id: vaultId }, item: { id: item.id } }
    expect(activity.collected).toMatchObject([
      { ...denied, result: 'SUCCESS', resource, use: exampleUse },
      { ...denied, use: { origin: 'https://evil.example', method: 'GET' } },
      { ...denied, use: exampleUse },
      denied,
      denied,
    ])
    expect(activity.collected.map(({ use }) => Object.keys(use ?? {}).length)).toEqual([
      ...[3, 3, 3, 0, 0],
    ])
    expect(JSON.stringify(activity.collected)).not.toMatch(/1234|status|path/)
  })

  it('takes no function from its input that would get the value unchecked', async () => {
    const run = () => expect.unreachable('the function was called')
    const use = { ...exampleUse, origin: 'https://evil.example' }
    for (const strict of [false, true]) {
      const vault = await createTestVault({ strict })
      const { service, caller } = vault
      const input = { ...itemRef(vault), use }
      await expect(service.useField(caller, { ...input, run } as never)).rejects.toMatchObject(
        invalid('run: unknown'),
      )
      await expect(service.useField(caller, input as never)).rejects.toMatchObject(
        invalid(expect.stringMatching(/^field must be /)),
      )
    }
  })

  it('records no use of an operation that ignores it', async () => {
    const activity = createSpyLog()
    const { service, caller, ...vault } = await createTestVault({ activity, strict: false })
    activity.collected.length = 0
    const input = { ...itemRef(vault), field: 'pin', use: exampleUse }
    await expect(service.getField(caller, input)).rejects.toMatchObject(invalid())
    expect(activity.collected).toHaveLength(1)
    expect(activity.collected[0]).not.toHaveProperty('use')
  })

  it('lists its entries in process, and over HTTP only with the published members', async () => {
    const vault = await createTestVault({ activity: createMemoryActivityLog() })
    const { service, caller } = vault
    await useField(vault)
    const { entries } = await service.listActivity(caller, { limit: 1 })
    expect(entries).toMatchObject([{ operation: 'useField', use: exampleUse }])
    const handler = createHttpHandler(service, { authenticate: () => caller })
    const response = await handler(createRequest(vault, 'GET', '/v1/activity?limit=2'))
    const [, published] = parseResponse(response).body as readonly object[]
    expect(Object.keys(published ?? {})).toEqual([
      ...['requestId', 'timestamp', 'action', 'result', 'actor', 'resource'],
    ])
  })
})
