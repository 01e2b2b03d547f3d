import { randomBytes } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCaller, createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { invalidItems } from '../../src/testing/hostile/items.js'
import { invalidPatches } from '../../src/testing/hostile/patches.js'
import { createFaultyStore, type TestVault } from '../../src/testing.js'
import { spyLog } from '../support/service/observed-calls.js'
import { markedCalls, markedVault } from '../support/service/secret-marker-calls.js'

const marker = `mark${randomBytes(12).toString('hex')}`

/** A marked vault that is looked at in every way, and all that is seen. */
async function watchedVault(): Promise<{ vault: TestVault; seen: unknown[]; breakStore(): void }> {
  let isBroken = false
  const error = Object.assign(new Error(marker, { cause: marker }), { detail: marker })
  const store = createFaultyStore(
    createMemoryStore(),
    () => (isBroken ? 'fail-before' : undefined),
    error,
  )
  const seen: unknown[] = []
  const activity = spyLog((entry) => seen.push(entry))
  const vault = await markedVault(marker, store)
  const service = createVaultService({ store, activity, history: { maxVersions: 3 } })
  for (const type of ['vault.created', 'item.created', 'item.updated', 'item.deleted'] as const)
    service.on(type, (event) => seen.push(event))
  const note = (message: unknown): void => {
    seen.push({ ...Object(message) })
  }
  const subscribers = { start: note, end: note, asyncStart: note, asyncEnd: note, error: note }
  const channel = tracingChannel('cofferkit.operation')
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return {
    vault: { ...vault, service },
    seen,
    breakStore: () => {
      isBroken = true
    },
  }
}

describe('what is recorded, told and traced of a call', () => {
  it('holds no value, name or title, whatever is called and however it ends', async () => {
    const { vault, seen, breakStore } = await watchedVault()
    const { service, caller, vaultId, item } = vault
    const ref = { vaultId, itemId: item.id }
    const refused = [
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
    const outcomes = await Promise.allSettled(refused)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
    for (const who of [createCaller('nobody', {}), caller])
      for (const call of Object.values(markedCalls(marker, vault, who)))
        await call().catch(() => undefined)
    breakStore()
    for (const call of Object.values(markedCalls(marker, vault)))
      await call().catch(() => undefined)
    const words = seen.map((one) => inspect(one, { depth: 20, showHidden: true, getters: true }))
    expect(words.length).toBeGreaterThan(500)
    expect(words.filter((text) => text.includes(marker))).toEqual([])
  })
})
