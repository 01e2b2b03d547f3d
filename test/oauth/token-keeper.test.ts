import { type Caller, createCaller, createVaultService } from 'cofferkit'
import { createCallbackActivityLog, createMemoryActivityLog } from 'cofferkit/activity'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createTokenKeeper,
  type TokenKeeperOptions,
  type TokenRefresh,
  vaultGrants,
} from 'cofferkit/oauth'
import { describe, expect, it, vi } from 'vitest'
import { createTokenWorld, leaseMs } from '../support/oauth/token-world.js'
import { useVirtualTime } from '../support/virtual-time.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('createTokenKeeper', () => {
  const service = createVaultService({ store: createMemoryStore() })

  it.each([
    ['options.marginMs must be a number of 0 or more, or Infinity', { marginMs: -1 }],
    ['options.marginMs must be a number of 0 or more, or Infinity', { marginMs: Number.NaN }],
    ['options.marginMs must be 0, or 1,000 milliseconds or more', { marginMs: 60 }],
    ['options.marginMs must be 0, or 1,000 milliseconds or more', { marginMs: 999.9 }],
    ['options.leaseMs must be a number from 100 to 600,000', { leaseMs: 99 }],
    ['options.leaseMs must be a number from 100 to 600,000', { leaseMs: 600_001 }],
    ['options.leaseMs must be a number from 100 to 600,000', { leaseMs: Number.POSITIVE_INFINITY }],
  ])('throws RangeError: %s', (message, numbers) => {
    const options: TokenKeeperOptions = {
      grants: vaultGrants(service, createCaller({ id: 'token-keeper', vaults: '*' })) as never,
      leases: createMemoryStore().records,
      refresh: async () => false,
      ...numbers,
    }
    expect(() => createTokenKeeper(options)).toThrow(new RangeError(message))
  })
})

describe('createTokenKeeper: accessToken', () => {
  it('refreshes a token that has expired, and returns it until it expires', async () => {
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    const keeper = createKeeper()
    const token = await keeper.accessToken(ref, caller)
    expect(provider.call(token)).toBe(true)
    expect(await keeper.accessToken(ref, caller)).toBe(token)
    expect(await createKeeper().accessToken(ref, caller)).toBe(token)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
    expect(await readFields()).toMatchObject({ credential: token, status: 'ok' })
  })

  it('requests one refresh when 80 calls of 8 processes need it', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const refresh = slowly(provider.refresh)
    const keepers = Array.from({ length: 8 }, () => createKeeper({ refresh }))
    const calls = keepers.flatMap((keeper) =>
      Array.from({ length: 10 }, () => keeper.accessToken(ref, caller)),
    )
    const tokens = await Promise.all(calls)
    expect(new Set(tokens).size).toBe(1)
    expect(provider.counts).toEqual({ requests: 1, refreshes: 1, reuses: 0 })
  })

  it.each([
    { expiresInSeconds: 3600, marginMs: undefined, usedMs: 3_540_000 },
    { expiresInSeconds: 3600, marginMs: 5000, usedMs: 3_595_000 },
    { expiresInSeconds: 10, marginMs: undefined, usedMs: 5000 },
    { expiresInSeconds: 10, marginMs: 0, usedMs: 10_000 },
  ])(
    'refreshes a token of $expiresInSeconds s after $usedMs ms when the margin is $marginMs',
    async ({ usedMs, marginMs, expiresInSeconds }) => {
      useVirtualTime()
      const { provider, ref, caller, createKeeper } = await createTokenWorld({ expiresInSeconds })
      const keeper = createKeeper({ marginMs })
      const token = await keeper.accessToken(ref, caller)
      await pause(usedMs - 1000)
      expect(await keeper.accessToken(ref, caller)).toBe(token)
      await pause(1000)
      expect(await keeper.accessToken(ref, caller)).not.toBe(token)
      expect(provider.counts.reuses).toBe(0)
    },
  )

  it.each([undefined, Number.POSITIVE_INFINITY, Number.NaN, 1e300])(
    'returns a token until it is rejected when it expires in %s seconds',
    async (expiresInSeconds) => {
      useVirtualTime()
      const { provider, ref, caller, createKeeper } = await createTokenWorld()
      const keeper = createKeeper({
        refresh: async (token) => {
          const tokens = provider.refresh(token)
          return tokens && { ...tokens, expiresInSeconds }
        },
      })
      const token = await keeper.accessToken(ref, caller)
      await pause(1e10)
      expect(await keeper.accessToken(ref, caller)).toBe(token)
      const next = await keeper.accessToken(ref, caller, { rejected: token })
      expect(next).not.toBe(token)
      expect(await keeper.accessToken(ref, caller, { rejected: token })).toBe(next)
      expect(provider.counts.requests).toBe(2)
    },
  )

  it('refreshes once when several processes pass the same rejected token', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const rejected = await createKeeper().accessToken(ref, caller)
    const calls = Array.from({ length: 4 }, () =>
      createKeeper({ refresh: slowly(provider.refresh) }).accessToken(ref, caller, { rejected }),
    )
    expect(new Set(await Promise.all(calls)).size).toBe(1)
    expect(provider.counts).toEqual({ requests: 2, refreshes: 2, reuses: 0 })
  })

  it('rejects when the provider issues the rejected token again, and keeps the grant', async () => {
    const { ref, caller, createKeeper, readFields } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => ({ accessToken: 'same', refreshToken: `${token}+` }),
    })
    const { refresh_token } = await readFields()
    expect(await keeper.accessToken(ref, caller)).toBe('same')
    const asking = keeper.accessToken(ref, caller, { rejected: 'same' })
    await expect(asking).rejects.toMatchObject({ code: 'RECONNECT_REQUIRED', reason: 'rejected' })
    expect(await readFields()).toMatchObject({
      refresh_token: `${refresh_token}++`,
      credential: 'same',
      status: 'ok',
    })
    expect(await keeper.accessToken(ref, caller)).toBe('same')
  })

  it('refreshes once when several processes get the rejected token again', async () => {
    useVirtualTime()
    const { ref, caller, createKeeper } = await createTokenWorld()
    const refresh = vi.fn(slowly(() => ({ accessToken: 'same', expiresInSeconds: 3600 })))
    const rejected = await createKeeper({ refresh }).accessToken(ref, caller)
    await pause(1000)
    refresh.mockClear()
    const calls = Array.from({ length: 4 }, () =>
      createKeeper({ refresh }).accessToken(ref, caller, { rejected }),
    )
    for (const { status, ...outcome } of await Promise.allSettled(calls))
      expect([status, outcome]).toMatchObject(['rejected', { reason: { reason: 'rejected' } }])
    expect(refresh).toHaveBeenCalledTimes(1)
  })

  it('keeps the refresh token when the provider returns none', async () => {
    const { ref, caller, createKeeper, readFields } = await createTokenWorld()
    const { refresh_token } = await readFields()
    const keeper = createKeeper({ refresh: async () => ({ accessToken: 'a' }) })
    expect(await keeper.accessToken(ref, caller)).toBe('a')
    expect(await readFields()).toMatchObject({ refresh_token, credential: 'a' })
  })

  it('passes the refresh token, the grant and a signal to refresh', async () => {
    const { provider, ref, caller, createKeeper, readFields, service } = await createTokenWorld()
    const { refresh_token } = await readFields()
    const item = await service.getItem(caller, ref)
    const uses: [string, TokenRefresh][] = []
    const keeper = createKeeper({
      refresh: async (token, use) => {
        uses.push([token, use])
        return provider.refresh(token)
      },
    })
    await keeper.accessToken(ref, caller)
    const { sections: _, fields: _fields, files: _files, ...summary } = item
    const signal = expect.any(AbortSignal)
    const found = expect.objectContaining({ item: summary, name: 'mail', account: 'wendy' })
    expect(uses).toEqual([[refresh_token, { ref, found, signal }]])
  })

  it('works on an encrypted store, and without an account', async () => {
    const keys = createLocalKeyProvider({ key: new Uint8Array(32) })
    const store = createEncryptedStore(createMemoryStore(), { keys })
    const { provider, vaultId, caller, createKeeper } = await createTokenWorld({ store })
    const accounts: unknown[] = []
    const keeper = createKeeper({
      refresh: async (token, { found }) => {
        accounts.push(found.account)
        return provider.refresh(token)
      },
    })
    const grant = { name: 'files', ...provider.connect(), expiresInSeconds: 0 }
    const ref = await keeper.save(vaultId, grant)
    expect(provider.call(await keeper.accessToken(ref, caller))).toBe(true)
    expect(accounts).toEqual([undefined])
  })

  it('rejects with RECONNECT_REQUIRED, and asks no more, when the grant is gone', async () => {
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    provider.revoke(String((await readFields())['refresh_token']))
    const grant = `${ref.vaultId}/${ref.itemId}`
    const expected = { code: 'RECONNECT_REQUIRED', status: 409, grant, reason: 'refused' }
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(expected)
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(expected)
    expect(provider.counts.requests).toBe(1)
    expect(await readFields()).toMatchObject({ status: 'reconnect', reason: 'refused' })
  })

  it('works again after the grant was saved again', async () => {
    const { provider, ref, vaultId, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({ refresh: async () => false })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({ status: 409 })
    const tokens = provider.connect()
    await keeper.save(vaultId, { name: 'mail', account: 'wendy', ...tokens })
    expect(await keeper.accessToken(ref, caller)).toBe(tokens.accessToken)
  })

  it('rejects with the reason expired when there is no refresh token', async () => {
    const { provider, vaultId, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper()
    const grant = { name: 'short', accessToken: 'a', expiresInSeconds: 0 }
    const ref = await keeper.save(vaultId, grant)
    const expired = { code: 'RECONNECT_REQUIRED', reason: 'expired' }
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject(expired)
    expect(provider.counts.requests).toBe(0)
  })

  it('rejects with 503 and changes nothing when the provider cannot be reached', async () => {
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    const before = await readFields()
    const keeper = createKeeper({
      refresh: async (token) => {
        throw new TypeError(`fetch failed with ${token}`)
      },
    })
    const error: unknown = await keeper.accessToken(ref, caller).catch((reason) => reason)
    expect(error).toMatchObject({ status: 503, cause: { message: 'TypeError' } })
    expect(String(Object(error).stack) + Object(error).cause.stack).not.toContain(
      before['refresh_token'],
    )
    expect(await readFields()).toEqual(before)
    expect(provider.call(await createKeeper().accessToken(ref, caller))).toBe(true)
  })

  it('says interrupted when the provider refuses a grant after a lost answer', async () => {
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        provider.refresh(token)
        throw new Error('socket hang up')
      },
    })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({ status: 503 })
    const interrupted = { code: 'RECONNECT_REQUIRED', reason: 'interrupted' }
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(interrupted)
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject(interrupted)
  })

  it('aborts the signal after two thirds of the lease', async () => {
    useVirtualTime()
    const { ref, caller, createKeeper } = await createTokenWorld()
    const start = performance.now()
    let abortedAfterMs = 0
    const keeper = createKeeper({
      refresh: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            abortedAfterMs = performance.now() - start
            reject(signal.reason)
          })
        }),
    })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({ status: 503 })
    expect(Math.round(abortedAfterMs)).toBe(Math.round((leaseMs * 2) / 3))
  })

  it('rejects with 503 when refresh does not settle, and asks again in the next call', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    let calls = 0
    const refresh: TokenKeeperOptions['refresh'] = async (token) =>
      ++calls === 1 ? new Promise(() => {}) : provider.refresh(token)
    const keeper = createKeeper({ refresh })
    await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({ status: 503 })
    expect(provider.call(await keeper.accessToken(ref, caller))).toBe(true)
  })

  it.each([undefined, null, true, 'token', {}, { access_token: 'a' }, { accessToken: '' }])(
    'rejects with RULE_FAILED when refresh resolves with %o',
    async (tokens) => {
      const { ref, caller, createKeeper } = await createTokenWorld()
      const keeper = createKeeper({ refresh: async () => tokens as never })
      await expect(keeper.accessToken(ref, caller)).rejects.toMatchObject({
        code: 'RULE_FAILED',
        message: 'refresh must resolve with an object with accessToken, or with false',
      })
    },
  )

  it.each([
    ['ref must be an object with vaultId, itemId', [undefined]],
    ['ref must be an object with vaultId, itemId', ['v'.repeat(26), 'i'.repeat(26)]],
    ['ref is a promise: is await missing?', [Promise.resolve({})]],
    ['ref.itemId must be a string', [{ vaultId: 'v'.repeat(26) }]],
    ['options must be an object', [{ vaultId: '', itemId: '' }, 'a1']],
    ['options.reject is unknown, did you mean rejected?', [undefined, { reject: 'a1' }]],
    ['options.rejected must be a string', [undefined, { rejected: true }]],
    ['options.rejected must be a string', [undefined, { rejected: null }]],
  ])('rejects with TypeError: %s', async (message, [wrongRef, options]) => {
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const args = [options === undefined ? wrongRef : (wrongRef ?? ref), caller, options]
    const call = Reflect.apply(createKeeper().accessToken, undefined, args)
    await expect(call).rejects.toEqual(new TypeError(message))
    expect(provider.counts.requests).toBe(0)
  })

  it('rejects with TypeError that says what to write when the caller is the first argument', async () => {
    const { ref, caller, createKeeper } = await createTokenWorld()
    const call = createKeeper().accessToken(caller as never, ref as never)
    const message = 'ref is a caller: write accessToken(ref, caller)'
    await expect(call).rejects.toEqual(new TypeError(message))
  })

  it('needs permission for useField on the item, and no other', async () => {
    const { ref, createKeeper } = await createTokenWorld()
    const asked: unknown[] = []
    const user: Caller = {
      id: 'agent',
      can: (...question) => {
        asked.push(question)
        return question[2] === 'useField'
      },
    }
    await expect(createKeeper().accessToken(ref, user)).resolves.toMatch('access-')
    expect(asked).toEqual([['read', ref.vaultId, 'useField', ref.itemId]])
  })

  it('asks its own caller for each operation by its name', async () => {
    const { ref, caller: user, createKeeper } = await createTokenWorld()
    const asked = new Set<string>()
    const caller: Caller = {
      id: 'token-keeper',
      can: (permission, _vaultId, operation, itemId) => {
        asked.add(`${permission} ${operation} ${itemId === ref.itemId}`)
        return true
      },
    }
    const keeper = createKeeper({ caller })
    await keeper.status(ref)
    expect([...asked]).toEqual(['read loadGrant true'])
    await keeper.accessToken(ref, user)
    await keeper.list(ref.vaultId)
    expect([...asked]).toEqual([
      'read loadGrant true',
      'read refreshGrant true',
      'write refreshGrant true',
      'read listGrants false',
    ])
  })

  it('rejects a caller who is missing or has no permission, and records that', async () => {
    const activity = createMemoryActivityLog()
    const { provider, ref, createKeeper, service, caller } = await createTokenWorld({ activity })
    const truthy = { id: 'agent', can: () => 'yes' as never }
    const before = (await service.listActivity(caller)).entries.length
    await expect(createKeeper().accessToken(ref, undefined)).rejects.toMatchObject({ status: 401 })
    for (const denied of [createCaller({ id: 'agent', vaults: {} }), truthy])
      await expect(createKeeper().accessToken(ref, denied)).rejects.toMatchObject({ status: 403 })
    expect(provider.counts.requests).toBe(0)
    const { entries } = await service.listActivity(caller)
    const added = entries.slice(0, entries.length - before - 1)
    expect(added.map(({ operation, result }) => [operation, result])).toEqual(
      Array(3).fill(['useField', 'DENY']),
    )
  })

  it('records each token that it returns as a use by the caller', async () => {
    const activity = createMemoryActivityLog()
    const { ref, createKeeper, service, caller } = await createTokenWorld({ activity })
    const agent = createCaller({ id: 'agent', vaults: { [ref.vaultId]: 'read' } })
    const keeper = createKeeper()
    const rejected = await keeper.accessToken(ref, agent)
    await Promise.all([1, 2].map(() => keeper.accessToken(ref, agent, { rejected })))
    const { entries } = await service.listActivity(caller)
    const { vaultId, itemId } = ref
    const uses = entries.filter(({ actor }) => actor.id === 'agent')
    expect(uses).toHaveLength(3)
    for (const use of uses)
      expect(use).toMatchObject({
        operation: 'useField',
        action: 'READ',
        result: 'SUCCESS',
        resource: { type: 'ITEM', vault: { id: vaultId }, item: { id: itemId } },
      })
    expect(JSON.stringify(entries)).not.toContain(rejected)
  })

  it('returns no token whose use cannot be recorded', async () => {
    const activity = createCallbackActivityLog(async ({ actor }) => {
      if (actor.id === 'agent') throw new Error('offline')
    })
    const { ref, createKeeper } = await createTokenWorld({ activity })
    const agent = createCaller({ id: 'agent', vaults: { [ref.vaultId]: 'read' } })
    await expect(createKeeper().accessToken(ref, agent)).rejects.toMatchObject({
      code: 'ACTIVITY_UNAVAILABLE',
    })
  })

  it('rejects with 400 when the item has no grant', async () => {
    const { service, vaultId, caller, createKeeper } = await createTokenWorld()
    const item = { category: 'LOGIN', vault: { id: vaultId } } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    const error = { code: 'INVALID_INPUT', issues: [{ path: 'itemId' }] }
    await expect(createKeeper().accessToken({ vaultId, itemId }, caller)).rejects.toMatchObject(
      error,
    )
  })

  it('returns the token of an archived item until it expires', async () => {
    const { provider, service, ref, caller, createKeeper } = await createTokenWorld()
    const token = await createKeeper().accessToken(ref, caller)
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(await createKeeper().accessToken(ref, caller)).toBe(token)
    const refreshing = createKeeper().accessToken(ref, caller, { rejected: token })
    await expect(refreshing).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(provider.counts.requests).toBe(1)
  })

  it('refreshes a token whose issue time was removed by hand', async () => {
    const { provider, service, ref, caller, createKeeper } = await createTokenWorld()
    await createKeeper().accessToken(ref, caller)
    const patch = [
      { op: 'remove', path: '/fields/issued_at' },
      { op: 'remove', path: '/fields/reason/value' },
    ] as const
    await service.patchItem(caller, { ...ref, patch })
    expect(provider.call(await createKeeper().accessToken(ref, caller))).toBe(true)
    expect(provider.counts).toEqual({ requests: 2, refreshes: 2, reuses: 0 })
  })
})

/** Requests take 50 ms, and are answered in the end. */
function slowly(
  refresh: (token: string) => Awaited<ReturnType<TokenKeeperOptions['refresh']>>,
): TokenKeeperOptions['refresh'] {
  return async (token) => {
    await pause(50)
    return refresh(token)
  }
}
