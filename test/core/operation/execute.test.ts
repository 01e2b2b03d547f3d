import { randomBytes } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { contractDialect } from '../../../src/dialects/contract.js'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { invalidItems, invalidPatches } from '../../support/items/invalid-bodies.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { createMarkedCalls, createMarkedVault } from '../../support/service/secret-marker-calls.js'

const marker = `mark${randomBytes(12).toString('hex')}`

/** A vault with the marker, and everything that is logged, emitted and traced. */
async function observedVault(): Promise<{
  vault: TestVault
  observations: unknown[]
  breakStore(): void
}> {
  let isBroken = false
  const error = Object.assign(new Error(marker, { cause: marker }), { detail: marker })
  const store = createFaultyStore(
    createMemoryStore(),
    () => (isBroken ? 'fail-before' : undefined),
    error,
  )
  const observations: unknown[] = []
  const activity = createSpyLog((entry) => observations.push(entry))
  const vault = await createMarkedVault(marker, store)
  const service = createVaultService({ store, activity, history: { maxVersions: 3 } })
  for (const type of ['vault.created', 'item.created', 'item.updated', 'item.deleted'] as const)
    service.on(type, (event) => observations.push(event))
  const record = (message: unknown): void => {
    observations.push({ ...Object(message) })
  }
  const subscribers = {
    start: record,
    end: record,
    asyncStart: record,
    asyncEnd: record,
    error: record,
  }
  const channel = tracingChannel('cofferkit.operation')
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return {
    vault: { ...vault, service },
    observations,
    breakStore: () => {
      isBroken = true
    },
  }
}

describe('execute: activity log, events and tracing', () => {
  it('contain no value, name or title of any call', async () => {
    const { vault, observations, breakStore } = await observedVault()
    const { service, caller, vaultId, item } = vault
    const ref = { vaultId, itemId: item.id }
    const rejectedCalls = [
      ...Object.values(invalidItems(marker, vaultId)).map((body) =>
        service.createItem(caller, { vaultId, item: body as never }),
      ),
      ...Object.values(invalidPatches(marker, vaultId)).map((patch) =>
        service.patchItem(caller, { ...ref, patch: patch as never }),
      ),
      service.listItems(caller, { vaultId, filter: marker }),
      service.listVaults(caller, { filter: `title eq ${marker}` }),
      service.getItem(caller, { vaultId: marker, itemId: marker }),
      service.getItems(caller, { vaultId, itemIds: [marker] }),
      service.createVault(caller, { name: marker, vaultId: marker }),
      service.setItemState(caller, { ...ref, state: marker as 'DELETED' }),
    ]
    const outcomes = await Promise.allSettled(rejectedCalls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
    for (const actor of [createCaller({ id: 'no access', vaults: {} }), caller])
      for (const call of Object.values(createMarkedCalls(marker, vault, actor)))
        await call().catch(() => undefined)
    breakStore()
    for (const call of Object.values(createMarkedCalls(marker, vault)))
      await call().catch(() => undefined)
    const texts = observations.map((observation) =>
      inspect(observation, { depth: 20, showHidden: true, getters: true }),
    )
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => text.includes(marker))).toEqual([])
  })

  it('rejects with the error of a dialect, even if that is foreign', async () => {
    const error = new RangeError('a mistake')
    const parseItem = (): never => {
      throw error
    }
    const dialect = { ...contractDialect, parseItem }
    const { vaultId, caller, store } = await createTestVault()
    const service = createVaultService({ store, dialect })
    const item = noteDraft(vaultId)
    await expect(service.createItem(caller, { vaultId, item })).rejects.toBe(error)
  })
})
