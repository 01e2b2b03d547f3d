import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog, createStoredActivityLog } from '../../src/activity.js'
import {
  type ActivityEntry,
  type ActivityLog,
  createCaller,
  createVaultService,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, createTestVault, type Fault } from '../../src/testing.js'
import { readEntries } from '../support/service/activity-entries.js'
import { expectedEntry, observedCalls } from '../support/service/observed-calls.js'
import { toCallRef } from '../support/service/operation-examples.js'
import { createRecordingStore } from '../support/stores/stores.js'

const stranger = createCaller({ id: 'stranger', vaults: {} })
const isWrite = (method: string): boolean => ['put', 'delete', 'write'].includes(method)

/** The logs whose entries are listed. */
const logs: Readonly<Record<string, () => ActivityLog>> = {
  'in memory': () => createMemoryActivityLog(),
  'in a store': () => createStoredActivityLog(createMemoryStore()),
}

/** A test vault, and a service on its store whose calls fail as `faultOf` says, with a log. */
async function createVaultWith(activity: ActivityLog, faultOf: (method: string) => Fault) {
  const vault = await createTestVault({ history: { maxVersions: 5 } })
  const store = createFaultyStore(vault.store, ({ method }) => faultOf(method))
  const history = { maxVersions: 5 }
  const service = createVaultService({ store, activity, history, onError: () => {} })
  return { ...vault, service, ref: toCallRef(vault) }
}

const outcomesOf = (entries: readonly ActivityEntry[]): readonly unknown[] =>
  entries.map(({ operation, result, code, durationMs }) => [
    ...[operation, result, code, durationMs !== undefined],
  ])

describe.each(Object.entries(logs))('createActivityRecorder with a log %s', (_, createLog) => {
  describe.each(observedCalls)('$name', ({ name, run }) => {
    const isChange = expectedEntry(name).action !== 'READ'

    it('has one entry when it is allowed', async () => {
      const log = createLog()
      const { service, caller, ref } = await createVaultWith(log, () => undefined)
      await run(service, caller, ref)
      expect(outcomesOf(await readEntries(log))).toEqual([[name, 'SUCCESS', undefined, true]])
    })

    it('has one entry when it is refused', async () => {
      const log = createLog()
      const { service, ref } = await createVaultWith(log, () => undefined)
      const status = ['listVaults', 'listActivity'].includes(name) ? 401 : 403
      const caller = status === 401 ? undefined : stranger
      await expect(run(service, caller, ref)).rejects.toMatchObject({ status })
      const code = status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'
      expect(outcomesOf(await readEntries(log))).toEqual([[name, 'DENY', code, true]])
    })

    it.runIf(name !== 'listActivity')(
      'has one entry when the store fails before its first write',
      async () => {
        const log = createLog()
        const { service, caller, ref } = await createVaultWith(log, (method) =>
          isWrite(method) ? undefined : 'fail-before',
        )
        await expect(run(service, caller, ref)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
        const denied = [name, 'DENY', 'STORAGE_FAILED', true]
        expect(outcomesOf(await readEntries(log))).toEqual([denied])
      },
    )

    it.runIf(isChange)('has one entry when the store fails before or after a write', async () => {
      const writes = (await writesOf(run)).length
      for (const fault of ['fail-before', 'fail-after'] as const)
        for (let failing = 1; failing <= writes; failing++) {
          const log = createLog()
          let count = 0
          const { service, caller, ref } = await createVaultWith(log, (method) =>
            isWrite(method) && ++count === failing ? fault : undefined,
          )
          const outcome = await run(service, caller, ref).then(
            () => 'SUCCESS',
            () => 'PENDING',
          )
          // The failure of a write that only cleans up does not fail the call.
          const expected = [name, outcome, undefined, outcome === 'SUCCESS']
          expect(outcomesOf(await readEntries(log)), `${fault} ${failing}`).toEqual([expected])
        }
    })

    it.runIf(isChange)('has one entry when its process ends after it has begun', async () => {
      const log = createLog()
      const never = new Promise<never>(() => {})
      const vault = await createTestVault({ history: { maxVersions: 5 } })
      const reached = Promise.withResolvers<void>()
      const hang = (): Promise<never> => {
        reached.resolve()
        return never
      }
      const { records, blobs } = vault.store
      const store = {
        records: { ...records, put: hang, delete: hang },
        blobs: { ...blobs, write: hang },
      }
      const service = createVaultService({ store, activity: log, history: { maxVersions: 5 } })
      run(service, vault.caller, toCallRef(vault)).catch(() => {})
      if ((await writesOf(run)).length > 0) {
        await reached.promise
        expect(outcomesOf(await readEntries(log))).toEqual([[name, 'PENDING', undefined, false]])
      }
    })
  })
})

/** Returns the writes of a call that succeeds. */
async function writesOf(run: (typeof observedCalls)[number]['run']): Promise<readonly string[]> {
  const vault = await createTestVault({ history: { maxVersions: 5 } })
  const store = createRecordingStore(vault.store)
  const service = createVaultService({ store, history: { maxVersions: 5 } })
  await run(service, vault.caller, toCallRef(vault))
  return store.calls.filter((call) => isWrite(call.slice(call.indexOf('.') + 1)))
}
