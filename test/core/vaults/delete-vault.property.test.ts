import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type VaultService } from '../../../src/index.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import {
  type ContendedStore,
  createContendedStore,
  delayCalls,
} from '../../support/stores/contended-store.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const vaultId = 'v'.repeat(26)
const chosenRef = { vaultId, itemId: 'chosen'.padEnd(26, '0') }
const history = { maxVersions: 2 }

interface Outcome {
  readonly call: string
  readonly result: PromiseSettledResult<unknown>
}

describe('deleteVault', () => {
  it('leaves nothing of the vault but tombstones in any interleaving with other calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(40), async (scheduler, slowness) => {
        let isInterleaved = false
        const wait = async (turns: number): Promise<void> => {
          for (let turn = 0; isInterleaved && turn < turns; turn++)
            await scheduler.schedule(Promise.resolve())
        }
        const store = createContendedStore(() => wait(1))
        const here = createVaultService({ store, history })
        const there = createVaultService({
          store: delayCalls(store, () => wait(slowness)),
          history,
        })
        const item = await filledVault(here)
        isInterleaved = true
        const outcomes = await scheduler.waitFor(Promise.all(concurrentCalls(here, there, item)))
        isInterleaved = false
        expect(await store.listRemaining()).toEqual([])
        for (const outcome of outcomes) expectConsistentOutcome(outcome, store)
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

/**
 * Creates the vault, an item with a file and an older version, and the tombstone of one with a
 * chosen id; returns the id of the item.
 */
async function filledVault(service: VaultService): Promise<string> {
  await service.createVault(caller, { vaultId, name: 'Vault' })
  await service.createItem(caller, { ...chosenRef, item: noteDraft(vaultId) })
  await service.deleteItem(caller, chosenRef)
  const { id: itemId } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
  await service.attachFile(caller, { vaultId, itemId, name: 'old', content: utf8('old') })
  return itemId
}

function concurrentCalls(
  here: VaultService,
  there: VaultService,
  itemId: string,
): Promise<Outcome>[] {
  const ref = { vaultId, itemId }
  const item = noteDraft(vaultId)
  const patch = [{ op: 'add', path: '/title', value: 'New' }] as const
  const upload = () => ({ ...ref, name: 'new', content: streamOf([utf8('n'), utf8('ew')]) })
  const work: Record<string, Promise<unknown>> = {
    'createItem here': here.createItem(caller, { vaultId, item }),
    'deleteVault here': here.deleteVault(caller, { vaultId }),
    'createItem there': there.createItem(caller, { vaultId, item }),
    'attachFile here': here.attachFile(caller, upload()),
    'attachFile there': there.attachFile(caller, upload()),
    'patchItem there': there.patchItem(caller, { ...ref, patch }),
    'createItem of the chosen id here': here.createItem(caller, { ...chosenRef, item }),
    'createItem of the chosen id there': there.createItem(caller, { ...chosenRef, item }),
    'patchItem of the chosen id here': here.patchItem(caller, { ...chosenRef, patch }),
    'deleteItem of the chosen id there': there.deleteItem(caller, chosenRef),
    'updateVault there': there.updateVault(caller, { vaultId, name: 'New' }),
  }
  return Object.entries(work).map(async ([call, promise]) => {
    const [result] = await Promise.allSettled([promise])
    return { call, result }
  })
}

/**
 * Asserts that `deleteVault` succeeds, and that every other call either happened before it or is
 * rejected because its target no longer exists.
 */
function expectConsistentOutcome({ call, result }: Outcome, { done }: ContendedStore): void {
  const end = done.lastIndexOf(`put vaults/${vaultId}`)
  if (call === 'deleteVault here') expect([call, result]).toEqual([call, fulfilled()])
  else if (result.status === 'rejected') {
    const canConflict = /^(?:attachFile|createItem of)/.test(call)
    const codes = canConflict ? ['NOT_FOUND', 'CONFLICT'] : ['NOT_FOUND']
    expect([call, codes]).toEqual([call, expect.arrayContaining([result.reason.code])])
  } else if (call.startsWith('createItem')) {
    const { id } = result.value as { id: string }
    const put = done.indexOf(`put items/${vaultId}/${id}`)
    expect([call, put >= 0 && put < end]).toEqual([call, true])
  }
}

function fulfilled(): PromiseFulfilledResult<unknown> {
  return { status: 'fulfilled', value: undefined }
}
