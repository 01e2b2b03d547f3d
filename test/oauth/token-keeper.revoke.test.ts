import { RuleError } from 'cofferkit'
import { describe, expect, it, vi } from 'vitest'
import { createOutage } from '../../tools/reliability/oauth/outage.js'
import { createTokenWorld, leaseMs } from '../support/oauth/token-world.js'
import { useVirtualTime } from '../support/virtual-time.js'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const revoked = { code: 'RECONNECT_REQUIRED', status: 409, reason: 'revoked' }

describe('createTokenKeeper: revoke', () => {
  it('passes the refresh token and removes the tokens, until the grant is saved again', async () => {
    const { provider, ref, caller, createKeeper, readFields, vaultId } = await createTokenWorld()
    const keeper = createKeeper()
    await keeper.accessToken(ref, caller)
    const { refresh_token } = await readFields()
    const calls: unknown[] = []
    await keeper.revoke(ref, async (token, { signal }) => {
      calls.push([token, signal.aborted])
      provider.revoke(token)
    })
    expect(calls).toEqual([[refresh_token, false]])
    expect(await readFields()).toMatchObject({
      credential: '',
      refresh_token: '',
      status: 'reconnect',
      reason: 'revoked',
      name: 'mail',
    })
    await expect(createKeeper().accessToken(ref, caller)).rejects.toMatchObject({
      ...revoked,
      message: expect.stringContaining('the grant has been revoked'),
    })
    await keeper.save(vaultId, { name: 'mail', account: 'wendy', ...provider.connect() })
    expect(provider.call(await keeper.accessToken(ref, caller))).toBe(true)
  })

  it('passes the access token when there is no refresh token, and nothing when there is neither', async () => {
    const { vaultId, createKeeper } = await createTokenWorld()
    const keeper = createKeeper()
    const ref = await keeper.save(vaultId, { name: 'short', accessToken: 'only' })
    const revoke = vi.fn(async () => {})
    await keeper.revoke(ref, revoke)
    await keeper.revoke(ref, revoke)
    expect(revoke.mock.calls).toEqual([['only', expect.anything()]])
  })

  it('keeps the grant when the provider is not reached, and has no text of that error', async () => {
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const keeper = createKeeper()
    const failing = keeper.revoke(ref, async () => {
      throw new Error('SWORDFISH')
    })
    const error = await failing.catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      status: 503,
      message: 'the provider may not have revoked the grant',
    })
    expect(JSON.stringify(error) + String(Object(error).cause)).not.toContain('SWORDFISH')
    expect(provider.call(await keeper.accessToken(ref, caller))).toBe(true)
  })

  it('waits for a refresh of another process, and revokes its tokens', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper } = await createTokenWorld()
    const other = createKeeper({
      refresh: async (token) => {
        await pause(leaseMs / 2)
        return provider.refresh(token)
      },
    })
    const refreshed = other.accessToken(ref, caller)
    await pause(leaseMs / 4)
    await createKeeper().revoke(ref, async (token) => {
      expect(provider.isLive(token)).toBe(true)
      provider.revoke(token)
    })
    await refreshed
    expect(provider.counts.reuses).toBe(0)
    await expect(other.accessToken(ref, caller)).rejects.toMatchObject(revoked)
  })

  it('makes a refresh of another process wait, which then returns no token', async () => {
    useVirtualTime()
    const { provider, ref, caller, createKeeper, readFields } = await createTokenWorld()
    const revoking = createKeeper().revoke(ref, async (token) => {
      provider.revoke(token)
      await pause(leaseMs / 2)
    })
    await pause(leaseMs / 4)
    const refreshed = createKeeper().accessToken(ref, caller)
    await expect(refreshed).rejects.toMatchObject(revoked)
    await revoking
    expect(provider.counts).toMatchObject({ refreshes: 0, reuses: 0 })
    expect(await readFields()).toMatchObject({ credential: '', refresh_token: '' })
  })

  it('keeps the tokens of a grant that is saved meanwhile', async () => {
    const { provider, ref, caller, vaultId, createKeeper } = await createTokenWorld()
    const keeper = createKeeper()
    const next = provider.connect()
    await keeper.revoke(ref, async () => {
      await keeper.save(vaultId, { name: 'mail', account: 'wendy', ...next })
    })
    expect(await keeper.accessToken(ref, caller)).toBe(next.accessToken)
  })

  it('removes the tokens after an outage of the store that begins with the answer', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const outage = createOutage()
    const store = outage.wrap(world.store)
    const keeper = world.createKeeper({ service: world.serviceOn(store), leases: store.records })
    const revoking = keeper.revoke(world.ref, async () => outage.begin('every call fails'))
    await expect(revoking).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 })
    await pause(3 * leaseMs)
    outage.end()
    await keeper.close()
    expect(await world.readFields()).toMatchObject({ refresh_token: '', reason: 'revoked' })
  })

  it('rejects after three leases when the provider does not answer', async () => {
    useVirtualTime()
    const { ref, createKeeper } = await createTokenWorld()
    const start = performance.now()
    const signals: AbortSignal[] = []
    const revoking = createKeeper().revoke(ref, (_token, { signal }) => {
      signals.push(signal)
      return new Promise(() => {})
    })
    await expect(revoking).rejects.toMatchObject({
      status: 503,
      message: 'the call to the provider took too long',
    })
    expect(performance.now() - start).toBe(3 * leaseMs)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('asks nobody when it has lost its lease', async () => {
    useVirtualTime()
    const world = await createTokenWorld()
    const { records } = world.store
    const keeper = world.createKeeper({
      leases: {
        ...records,
        get: (key) => records.get(key),
        delete: (key, version) => records.delete(key, version),
        list: (collection, query) => records.list(collection, query),
        put: async (key, record, version) =>
          !new TextDecoder().decode(record.body).includes('calling') &&
          records.put(key, record, version),
      },
    })
    const revoking = keeper.revoke(world.ref, async () => expect.unreachable())
    await expect(revoking).rejects.toMatchObject({ code: 'CONFLICT', status: 409 })
  })

  it('rejects with InvalidInputError when the item is archived', async () => {
    const { ref, caller, service, createKeeper } = await createTokenWorld()
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    const revoking = createKeeper().revoke(ref, async () => expect.unreachable())
    await expect(revoking).rejects.toMatchObject({
      issues: [{ path: 'ref', message: 'is read-only, so its tokens cannot be changed' }],
    })
  })

  it('rejects with TypeError when it is given no function', async () => {
    const { ref, createKeeper } = await createTokenWorld()
    const revoking = createKeeper().revoke(ref, 'token' as never)
    await expect(revoking).rejects.toEqual(new TypeError('revoke must be a function'))
  })
})

describe('createTokenKeeper: status', () => {
  it('returns the state of a grant without its tokens', async () => {
    const { ref, caller, provider, createKeeper, readFields } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        const tokens = provider.refresh(token)
        return tokens && { ...tokens, scope: 'mail.read' }
      },
    })
    expect(await keeper.status(ref)).toMatchObject({ status: 'ok', reason: '', scope: undefined })
    await keeper.accessToken(ref, caller)
    const { issued_at = '', expires_at = '' } = await readFields()
    expect(await keeper.status(ref)).toEqual({
      status: 'ok',
      reason: '',
      scope: 'mail.read',
      issuedAt: Date.parse(issued_at),
      expiresAt: Date.parse(expires_at),
    })
    await keeper.revoke(ref, async () => {})
    expect(await keeper.status(ref)).toMatchObject({ status: 'reconnect', reason: 'revoked' })
  })

  it('rejects when the grant does not exist, or its argument is a caller', async () => {
    const { ref, caller, createKeeper } = await createTokenWorld()
    const missing = { ...ref, itemId: 'z'.repeat(26) }
    await expect(createKeeper().status(missing)).rejects.toMatchObject({ status: 404 })
    await expect(createKeeper().status(caller as never)).rejects.toThrow(TypeError)
  })
})

describe('createTokenKeeper: scope', () => {
  it('is kept by a refresh that returns none, and replaced by one that does', async () => {
    const { vaultId, caller, provider, createKeeper } = await createTokenWorld()
    const scopes = ['mail.read', undefined, '', 'mail.send']
    const keeper = createKeeper({
      refresh: async (token) => {
        const tokens = provider.refresh(token)
        return tokens && { ...tokens, expiresInSeconds: 0, scope: scopes.shift() }
      },
    })
    const tokens = { ...provider.connect(), expiresInSeconds: 0, scope: 'mail.read mail.send' }
    const ref = await keeper.save(vaultId, { name: 'scoped', ...tokens })
    const found = [(await keeper.status(ref)).scope]
    while (scopes.length > 0) {
      await keeper.accessToken(ref, caller)
      found.push((await keeper.status(ref)).scope)
    }
    expect(found).toEqual(['mail.read mail.send', 'mail.read', 'mail.read', undefined, 'mail.send'])
  })

  it('is refused when it is no string', async () => {
    const { ref, caller, createKeeper } = await createTokenWorld()
    const refresh = async () => ({ accessToken: 'a', scope: ['mail'] as never })
    const asking = createKeeper({ refresh }).accessToken(ref, caller)
    await expect(asking).rejects.toThrow(RuleError)
  })
})

describe('createTokenKeeper: signal', () => {
  it('ends the wait of one call, and the refresh goes on', async () => {
    useVirtualTime()
    const { ref, caller, provider, createKeeper } = await createTokenWorld()
    const keeper = createKeeper({
      refresh: async (token) => {
        await pause(leaseMs / 2)
        return provider.refresh(token)
      },
    })
    const controller = new AbortController()
    const aborted = keeper.accessToken(ref, caller, { signal: controller.signal })
    const waiting = keeper.accessToken(ref, caller, { signal: new AbortController().signal })
    const reason = new Error('no longer needed')
    controller.abort(reason)
    await expect(aborted).rejects.toBe(reason)
    expect(provider.call(await waiting)).toBe(true)
    expect(provider.counts.requests).toBe(1)
  })

  it('rejects at once when it has aborted before, and uses nothing', async () => {
    const { ref, caller, provider, createKeeper } = await createTokenWorld()
    const asking = createKeeper().accessToken(ref, caller, { signal: AbortSignal.abort('gone') })
    await expect(asking).rejects.toBe('gone')
    expect(provider.counts.requests).toBe(0)
  })
})

describe('vaultGrants: list', () => {
  it('returns the grants of a vault without their tokens', async () => {
    const { ref, vaultId, caller, service, createKeeper } = await createTokenWorld()
    const keeper = createKeeper()
    const other = await keeper.save(vaultId, { name: 'files', accessToken: 'a1', scope: 'read' })
    const gone = await keeper.save(vaultId, { name: 'gone', accessToken: 'a1' })
    await service.setItemState(caller, { ...gone, state: 'DELETED' })
    await service.deleteItem(
      caller,
      await keeper.save(vaultId, { name: 'no more', accessToken: 'a1' }),
    )
    await service.createItem(caller, { vaultId, item: { category: 'LOGIN', title: 'mail' } })
    await keeper.revoke(ref, async () => {})
    const listed = await keeper.list(vaultId)
    expect(listed).toHaveLength(2)
    expect(listed).toContainEqual({
      ref,
      name: 'mail',
      account: 'wendy',
      ...(await keeper.status(ref)),
    })
    expect(listed).toContainEqual({
      ref: other,
      name: 'files',
      account: undefined,
      ...(await keeper.status(other)),
    })
    expect(JSON.stringify(listed)).not.toContain('a1')
  })

  it('rejects when the vault does not exist', async () => {
    const { createKeeper } = await createTokenWorld()
    await expect(createKeeper().list('z'.repeat(26))).rejects.toMatchObject({ status: 404 })
  })
})
