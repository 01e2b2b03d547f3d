import { describe, expect, it } from 'vitest'
import type { RecordKey } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { recordStoreContract } from '../../../src/testing.js'
import { runAll } from '../../support/run-all.js'
import { brokenRecordStores } from '../../support/stores/broken-stores.js'

const variants = brokenRecordStores.flatMap(({ caseName, ...variant }) =>
  recordStoreContract
    .filter(({ name }) => name === caseName)
    .map((contractCase) => ({ ...variant, ...contractCase })),
)

describe('recordStoreContract', () => {
  it('has a broken store for every case', () => {
    const detected = new Set(variants.map(({ name }) => name))
    expect(
      recordStoreContract.map(({ name }) => name).filter((name) => !detected.has(name)),
    ).toEqual([])
    expect(variants).toHaveLength(brokenRecordStores.length)
  })

  it.each(variants)(
    'detects the store that breaks it: $name',
    async ({ run, message, subject }) => {
      await expect(run(subject())).rejects.toThrow(message)
    },
  )

  it.runIf(runAll).each(variants)(
    'detects the store with few other cases failing: $name',
    async ({ name, subject }) => {
      const failing: string[] = []
      for (const other of recordStoreContract) {
        await other.run(subject()).catch(() => failing.push(other.name))
      }
      expect(failing).toContain(name)
      expect(failing.length).toBeLessThan(recordStoreContract.length / 2)
    },
  )

  const readCases = recordStoreContract.filter(({ name }) =>
    name.startsWith('returns the written record'),
  )

  it.each(readCases)('accepts a store that returns more members: $name', async ({ run }) => {
    const { records } = createMemoryStore()
    await run({
      ...records,
      get: async (key) => {
        const stored = await records.get(key)
        return stored && { created_at: new Date(), ...key, ...stored, label: null }
      },
    })
  })

  it.each(readCases)('shows the difference of a record: $name', async ({ run }) => {
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

  it.each(recordStoreContract)('accepts a Buffer as bytes: $name', async ({ run }) => {
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
