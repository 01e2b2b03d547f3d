import { describe, expect, it } from 'vitest'
import type { RecordKey } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { recordStoreContract } from '../../../src/testing.js'
import { brokenRecordStores } from '../../support/stores/broken-stores.js'

const twins = brokenRecordStores.flatMap(({ caught, ...twin }) =>
  recordStoreContract
    .filter(({ name }) => name === caught)
    .map((contractCase) => ({ ...twin, ...contractCase })),
)

describe('recordStoreContract', () => {
  it('has a broken store for every case', () => {
    const caught = new Set(twins.map(({ name }) => name))
    expect(recordStoreContract.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual(
      [],
    )
    expect(twins).toHaveLength(brokenRecordStores.length)
  })

  it.each(twins)('sees the store that breaks it: $name', async ({ run, seen, subject }) => {
    await expect(run(subject())).rejects.toThrow(seen)
  })

  it.each(twins)(
    'is the one that tells the store from a good one: $name',
    async ({ name, subject }) => {
      const failing: string[] = []
      for (const other of recordStoreContract) {
        await other.run(subject()).catch(() => failing.push(other.name))
      }
      expect(failing).toContain(name)
      expect(failing.length).toBeLessThan(recordStoreContract.length / 2)
    },
  )

  const wordy = recordStoreContract.filter(({ name }) =>
    name.startsWith('answers what was written'),
  )

  it.each(wordy)('passes a store that returns more than was asked for: $name', async ({ run }) => {
    const { records } = createMemoryStore()
    await run({
      ...records,
      get: async (key) => {
        const stored = await records.get(key)
        return stored && { created_at: new Date(), ...key, ...stored, label: null }
      },
    })
  })

  it.each(wordy)('shows where a record differs: $name', async ({ run }) => {
    const { records } = createMemoryStore()
    const changed = {
      ...records,
      get: async (key: RecordKey) => {
        const stored = await records.get(key)
        stored?.body.fill(0x2a, 0x41, 0x42)
        return stored && { created_at: new Date(), ...stored }
      },
    }
    await expect(run(changed)).rejects.toThrow(/^the record: expected …\S+@ABCD\S+, got …\S+@\*BCD/)
  })

  it.each(recordStoreContract)('takes a Buffer for the bytes it is: $name', async ({ run }) => {
    const { records } = createMemoryStore()
    await run({
      ...records,
      get: async (key) => {
        const stored = await records.get(key)
        return stored && { ...stored, body: Buffer.from(stored.body) }
      },
    })
  })
})
