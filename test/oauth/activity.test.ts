import { type Caller, createCaller } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore, type Fault } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'
import { createTokenWorld } from '../support/oauth/token-world.js'
import { createRecordedCalls, type EntrySummary } from '../support/service/recorded-calls.js'

const credential = { name: 'mail', account: 'wendy' }
const grant = { ...credential, accessToken: 'access-secret', refreshToken: 'refresh-secret' }
/** The entry of a save. */
const saved = { operation: 'saveGrant', action: 'UPDATE', credential, caller: 'token-keeper' }
/** The entry of a refresh. */
const refreshed = { ...saved, operation: 'refreshGrant' }
/** The entry of a use whose grant was read, and of one that was refused before. */
const used = { operation: 'useField', action: 'READ', credential, caller: 'agent' }
const { credential: _, ...refusedUse } = used
const [success, denied] = [{ result: 'SUCCESS' }, { result: 'DENY' }] as const

/** Creates a world with a grant whose token has expired, in a store whose writes of items can fail. */
async function setUp() {
  const { activity, entriesOf } = createRecordedCalls()
  let faults: Fault[] = []
  const store = createFaultyStore(createMemoryStore(), ({ method, collection }) =>
    method === 'put' && collection?.startsWith('items/') ? faults.shift() : undefined,
  )
  const world = await createTokenWorld({ activity, store })
  const agent = createCaller({ id: 'agent', vaults: { [world.vaultId]: 'read' } })
  return {
    ...{ ...world, agent, entriesOf },
    failWith(...next: Fault[]) {
      faults = next
    },
  }
}

/** Returns a keeper's caller who may call these operations with this permission. */
function callerWith(permissions: readonly string[], names: readonly string[]): Caller {
  return {
    id: 'token-keeper',
    can: (permission, _, name) => permissions.includes(permission) && names.includes(String(name)),
  }
}

describe('createTokenKeeper with an activity log', () => {
  it('records one refresh when a grant is revoked', async () => {
    const { ref, createKeeper, entriesOf } = await setUp()
    const revoking = () => createKeeper().revoke(ref, async () => {})
    expect(await entriesOf(revoking)).toEqual([{ ...refreshed, ...success, version: 2 }])
  })

  it('records one entry of a save: a creation, a change, or a refusal', async () => {
    const { vaultId, createKeeper, entriesOf } = await setUp()
    const save = (name: string, keeper = createKeeper()) =>
      entriesOf(() => keeper.save(vaultId, { ...grant, name }))
    expect(await save('mail')).toEqual([{ ...saved, ...success, version: 2 }])
    const other = { ...saved, credential: { ...credential, name: 'other' } }
    expect(await save('other')).toEqual([{ ...other, ...success, action: 'CREATE', version: 1 }])
    const caller = callerWith(['read', 'write'], ['refreshGrant'])
    expect(await save('mail', createKeeper({ caller }))).toEqual([
      { ...saved, ...denied, code: 'FORBIDDEN' },
    ])
  })

  it.each(['fail-before', 'fail-after'] as const)(
    'leaves the entry of a save pending when its write is made to %s',
    async (fault) => {
      const { vaultId, createKeeper, entriesOf, failWith } = await setUp()
      failWith(fault)
      const entries = await entriesOf(() => createKeeper().save(vaultId, grant))
      expect(entries).toEqual([{ ...saved, result: 'PENDING' }])
    },
  )

  it('records one entry of a use, and one of its refresh', async () => {
    const { ref, agent, createKeeper, entriesOf } = await setUp()
    const keeper = createKeeper()
    const use = () => entriesOf(() => keeper.accessToken(ref, agent))
    expect(await use()).toEqual([
      { ...refreshed, ...success, version: 2 },
      { ...used, ...success },
    ])
    expect(await use()).toEqual([{ ...used, ...success }])
  })

  it('records one refresh of many uses', async () => {
    const { ref, agent, createKeeper, entriesOf } = await setUp()
    const keeper = createKeeper()
    const entries = await entriesOf(() =>
      Promise.all([1, 2, 3].map(() => keeper.accessToken(ref, agent))),
    )
    expect(entries.filter(({ operation }) => operation === 'refreshGrant')).toHaveLength(1)
    expect(entries).toHaveLength(4)
  })

  it('records a use that is refused, and refreshes nothing', async () => {
    const { ref, provider, createKeeper, entriesOf } = await setUp()
    for (const [caller, refusal] of [
      [createCaller({ id: 'agent', vaults: {} }), { code: 'FORBIDDEN' }],
      [undefined, { code: 'UNAUTHORIZED', caller: '' }],
    ] as const)
      expect(await entriesOf(() => createKeeper().accessToken(ref, caller))).toEqual([
        { ...refusedUse, ...denied, ...refusal },
      ])
    expect(provider.counts.requests).toBe(0)
  })

  it('records what the caller of the keeper must not do', async () => {
    const { ref, agent, provider, createKeeper, entriesOf } = await setUp()
    const refused = { ...denied, code: 'FORBIDDEN' }
    const use = (caller: Caller) =>
      entriesOf(() => createKeeper({ caller }).accessToken(ref, agent))
    // It may not even read the grant: there is no refresh.
    expect(await use(callerWith([], []))).toEqual([{ ...refusedUse, ...refused }])
    expect(await use(callerWith(['read'], ['loadGrant', 'refreshGrant']))).toEqual([
      { ...refreshed, ...refused },
      { ...used, ...refused },
    ])
    expect(provider.counts.requests).toBe(0)
  })

  it('records that the provider has refused the grant, with the version that says so', async () => {
    const { ref, agent, createKeeper, entriesOf, readFields } = await setUp()
    const keeper = createKeeper({ refresh: async () => false })
    const refused = { ...denied, code: 'RECONNECT_REQUIRED' }
    const use = () => entriesOf(() => keeper.accessToken(ref, agent))
    expect(await use()).toEqual([
      { ...refreshed, ...refused, version: 2 },
      { ...used, ...refused },
    ])
    expect(await readFields()).toMatchObject({ status: 'reconnect' })
    expect(await use()).toEqual([{ ...used, ...refused }])
  })

  it('leaves a refresh pending when the provider does not answer', async () => {
    const { ref, agent, createKeeper, entriesOf } = await setUp()
    const keeper = createKeeper({ refresh: () => Promise.reject(new Error('down')) })
    expect(await entriesOf(() => keeper.accessToken(ref, agent))).toEqual([
      { ...refreshed, result: 'PENDING' },
      { ...used, ...denied, code: 'STORAGE_UNAVAILABLE' },
    ])
  })

  it('records a refresh as made once the store has taken its tokens', async () => {
    const outcomes: (readonly EntrySummary[])[] = []
    for (const fault of ['fail-before', 'fail-after'] as const) {
      const { ref, agent, createKeeper, entriesOf, failWith, readFields } = await setUp()
      failWith(fault)
      outcomes.push(await entriesOf(() => createKeeper().accessToken(ref, agent)))
      expect(await readFields()).toMatchObject({ status: 'ok' })
    }
    const use = { ...used, ...success }
    expect(outcomes).toEqual([
      [{ ...refreshed, ...success, version: 2 }, use],
      // The version of a write that seemed to fail is unknown.
      [{ ...refreshed, ...success }, use],
    ])
  })

  it('contains no token', async () => {
    const { ref, vaultId, agent, createKeeper, entriesOf, readFields } = await setUp()
    const keeper = createKeeper()
    const entries = [
      ...(await entriesOf(() => keeper.save(vaultId, grant))),
      ...(await entriesOf(() => keeper.accessToken(ref, agent, { rejected: 'access-secret' }))),
    ]
    const { credential: token = 'none', refresh_token: refreshToken = 'none' } = await readFields()
    for (const secret of ['secret', token, refreshToken])
      expect(JSON.stringify(entries)).not.toContain(secret)
  })
})
