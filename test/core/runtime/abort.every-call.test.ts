import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { operations } from '../../../src/core/operations.js'
import {
  type CallOptions,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import {
  createSnapshotStore,
  type SnapshotStore,
} from '../../../src/testing/hostile/snapshot-store.js'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestVault,
  type TestVault,
} from '../../../src/testing.js'
import { readEntries } from '../../support/service/activity-entries.js'
import {
  type ObservedCall,
  observedCalls,
  toCallRef,
} from '../../support/service/observed-calls.js'

const reason = new Error('the client is gone')
const moments = ['begin', 'end'] as const
/** Operations that are not atomic: they can also end between two items or records. */
const partial = ['deleteVault', 'collectGarbage']

/** The time of the interruption: when the call begins, or when it is done but not settled. */
type Moment = 'begin' | 'end'

interface Start {
  readonly vault: TestVault
  readonly store: SnapshotStore
}

/** A vault with a history, a blob that an interrupted upload has left, and an old version. */
async function createStart(): Promise<Start> {
  const store = createSnapshotStore()
  const vault = await createTestVault({ store, history: { maxVersions: 2 } })
  const { service, caller, vaultId, item } = vault
  const content = Uint8Array.of(1)
  const failing = createFaultyStore(store, ({ collection, method }) =>
    collection?.startsWith('items/') && method === 'put' ? 'fail-before' : undefined,
  )
  const upload = createVaultService({
    store: failing,
    now: vault.clock,
    randomBytes: createSeededRandomBytes(7),
  })
  await upload
    .attachFile(caller, { vaultId, itemId: item.id, name: 'lost', content })
    .catch(() => {})
  const { id: itemId } = await service.createItem(caller, {
    vaultId,
    item: { category: 'LOGIN', vault: { id: vaultId }, title: 'Second' },
  })
  await service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' })
  vault.clock.advance(3_600_001)
  return { vault, store }
}

interface Outcome {
  readonly result?: unknown
  readonly error?: unknown
  readonly before: string
  readonly after: string
  readonly service: VaultService
  readonly entries: readonly string[]
  readonly calls: number
}

/** Runs the call, and aborts its signal at a call of the store. */
async function run(call: ObservedCall, index: number, moment: Moment): Promise<Outcome> {
  const { vault, store } = await createStart()
  const before = digest(await store.snapshot())
  const controller = new AbortController()
  let calls = 0
  const counted = createFaultyStore(store, () => {
    calls++
    return undefined
  })
  const activity = createMemoryActivityLog()
  const service = createVaultService({
    store: interruptAt(counted, index, moment, () => controller.abort(reason)),
    now: vault.clock,
    randomBytes: createSeededRandomBytes(9),
    history: { maxVersions: 2 },
    retry: { sleep: async () => {} },
    activity,
  })
  const abortable = withOptions(service, { signal: controller.signal })
  const settled = await call.run(abortable, vault.caller, toCallRef(vault)).then(
    async (result) => ({ result: await comparable(result) }),
    (error: unknown) => ({ error }),
  )
  // What continues in the background must not write.
  await service.close()
  const entries = (await readEntries(activity)).map(({ result }) => result)
  return { ...settled, before, after: digest(await store.snapshot()), service, entries, calls }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Returns the result, with the content of a stream or the error with which it fails. */
async function comparable(result: unknown): Promise<unknown> {
  const content: unknown = Reflect.get(Object(result), 'content')
  if (!(content instanceof ReadableStream)) return result
  const read = new Response(content).text().catch((error: unknown) => error)
  return { ...(result as object), content: await read }
}

const names = observedCalls.map(({ name }) => name)

describe('createVaultService with a signal that is aborted at a call of the store', () => {
  it.each(observedCalls)(
    '$name rejects with the reason and changes nothing, or completes',
    async (call) => {
      const complete = await run(call, -1, 'begin')
      expect(complete.error).toBeUndefined()
      const seen = new Set<string>()
      for (let index = 0; index < complete.calls; index++) {
        for (const moment of moments) {
          const outcome = await run(call, index, moment)
          expect(outcome.service.stats.storeErrors).toBe(0)
          if (outcome.error === undefined) {
            seen.add('completes')
            expect([index, moment, outcome.after]).toEqual([index, moment, complete.after])
            if (call.name !== 'listActivity') expect(outcome.result).toEqual(complete.result)
            expect(outcome.entries).not.toContain('DENY')
          } else {
            seen.add('rejects')
            expect([index, moment, outcome.error]).toEqual([index, moment, reason])
            expect(outcome.error).toBe(reason)
            if (!partial.includes(call.name)) expect(outcome.after).toBe(outcome.before)
            expect(outcome.entries[0]).toBe('DENY')
          }
        }
      }
      const writes = complete.before !== complete.after
      if (complete.calls > 0) expect(seen).toContain('rejects')
      if (writes) expect([...seen].sort()).toEqual(['completes', 'rejects'])
    },
  )

  it('covers every operation', () => {
    expect(new Set(names)).toEqual(new Set(Object.keys(operations)))
  })
})

/** Returns the service with these options in each call of an operation. */
function withOptions(service: VaultService, options: CallOptions): VaultService {
  const bound = Object.keys(operations).map((name) => {
    const method: (...call: unknown[]) => unknown = Reflect.get(service, name)
    return [name, (caller: unknown, input: unknown) => method(caller, input, options)]
  })
  return { ...service, ...Object.fromEntries(bound) }
}

/** Wraps a store so that `interrupt` is called at its call number `index`, counted from 0. */
function interruptAt(
  { records, blobs }: VaultStore,
  index: number,
  moment: Moment,
  interrupt: () => void,
): VaultStore {
  let count = 0
  const around = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const isNow = count++ === index
      if (isNow && moment === 'begin') interrupt()
      const result = await call(...args)
      if (isNow && moment === 'end') interrupt()
      return result
    }
  }
  return {
    records: {
      get: around(records.get),
      put: around(records.put),
      delete: around(records.delete),
      list: around(records.list),
    },
    blobs: { read: around(blobs.read), write: around(blobs.write), delete: around(blobs.delete) },
  }
}
