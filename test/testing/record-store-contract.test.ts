import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { recordStoreContract } from '../../src/testing/index.js'
import { brokenRecordStores } from '../support/broken-stores.js'

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
