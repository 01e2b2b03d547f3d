import { describe, expect, it } from 'vitest'
import type { BlobStore, RecordStore } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import {
  blobStoreContract,
  type ContractCase,
  createContractTests,
  recordStoreContract,
} from '../../src/testing.js'
import { runAll } from '../support/run-all.js'
import { brokenBlobStores } from '../support/stores/broken-blobs.js'
import { brokenRecordStores } from '../support/stores/broken-stores.js'
import { trackBlobs, trackRecords } from '../support/stores/track-calls.js'

const passing: ContractCase<object> = { name: 'passes', run: async () => {} }
const failing: ContractCase<object> = {
  name: 'fails',
  run: () => Promise.reject(new Error('the case fails')),
}

/** Runs the only test of a contract with one case. */
async function runOne(
  contractCase: ContractCase<object>,
  createSubject: Parameters<typeof createContractTests<object>>[1],
): Promise<void> {
  for (const { run } of createContractTests([contractCase], createSubject)) await run()
}

describe('createContractTests', () => {
  const createStore = (): RecordStore => createMemoryStore().records

  it('returns a test with the name of each case, in order', () => {
    const tests = createContractTests(recordStoreContract, createStore)
    expect(tests.map(({ name }) => name)).toEqual(recordStoreContract.map(({ name }) => name))
  })

  it('returns tests without parameters, so that no runner waits for a callback', () => {
    for (const { run } of createContractTests(recordStoreContract, createStore))
      expect(run).toHaveLength(0)
  })

  it('creates a subject for each run, and none before', async () => {
    const created: RecordStore[] = []
    const tests = createContractTests(recordStoreContract, () => {
      created.push(createStore())
      return created.at(-1) as RecordStore
    })
    expect(created).toEqual([])
    for (const { run } of tests) await run()
    await tests[0]?.run()
    expect(new Set(created).size).toBe(tests.length + 1)
  })

  it.each([passing, failing])('cleans up in reverse order when a case $name', async (each) => {
    const done: string[] = []
    const outcome = runOne(each, async (onCleanup) => {
      onCleanup(() => done.push('folder'))
      onCleanup(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        done.push('database')
      })
      return {}
    })
    if (each === failing) await expect(outcome).rejects.toThrow(/^the case fails$/)
    else await outcome
    expect(done).toEqual(['database', 'folder'])
  })

  it('cleans up what was created when the subject cannot be created', async () => {
    const done: string[] = []
    const outcome = runOne(passing, (onCleanup) => {
      onCleanup(() => done.push('folder'))
      throw new Error('the database does not open')
    })
    await expect(outcome).rejects.toThrow(/^the database does not open$/)
    expect(done).toEqual(['folder'])
  })

  it('continues when a cleanup fails, and rejects with its error', async () => {
    const done: string[] = []
    const error = new Error('the database does not close')
    const outcome = runOne(passing, (onCleanup) => {
      onCleanup(() => done.push('folder'))
      onCleanup(() => Promise.reject(error))
      return {}
    })
    await expect(outcome).rejects.toBe(error)
    expect(done).toEqual(['folder'])
  })

  it('shows the error of the case first when a cleanup fails, too', async () => {
    const outcome = runOne(failing, (onCleanup) => {
      onCleanup(() => Promise.reject('the folder is not empty'))
      onCleanup(() => {
        throw new Error('the database does not close')
      })
      return {}
    })
    const error = await outcome.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AggregateError)
    expect((error as AggregateError).errors).toHaveLength(3)
    expect((error as AggregateError).message).toBe(
      'the case fails; then: the database does not close; then: the folder is not empty',
    )
  })
})

describe('the contracts of stores', () => {
  it.runIf(runAll).each(brokenRecordStores)(
    'leave no call in progress when they detect the store that breaks: $caseName',
    async ({ subject }) => {
      const open: string[] = []
      const tests = createContractTests(recordStoreContract, (onCleanup) => {
        const tracked = trackRecords(subject())
        onCleanup(() => open.push(...tracked.open()))
        return tracked.records
      })
      for (const { run } of tests) await run().catch(() => {})
      expect(open).toEqual([])
    },
  )

  it.each([
    ...brokenBlobStores.map(({ caseName, subject }) => ({ caseName, subject })),
    ...others(),
  ])(
    'leave no call or stream open when they detect the blob store that breaks: $caseName',
    async ({ subject }) => {
      const open: string[] = []
      const tests = createContractTests(blobStoreContract, (onCleanup) => {
        const tracked = trackBlobs(subject())
        onCleanup(() => open.push(...tracked.open()))
        return tracked.blobs
      })
      for (const { run } of tests) await run().catch(() => {})
      expect(open).toEqual([])
    },
  )
})

/** Blob stores that fail without reading, or before the end of a stream. */
function others(): { caseName: string; subject: () => BlobStore }[] {
  const { blobs } = createMemoryStore()
  const unread = { ...blobs, write: () => Promise.reject(new Error('the disk is full')) }
  const early = { ...blobs, write: async () => {} }
  return [
    { caseName: 'a write that rejects before it has read', subject: () => unread },
    { caseName: 'a write that resolves before it has read', subject: () => early },
  ]
}
