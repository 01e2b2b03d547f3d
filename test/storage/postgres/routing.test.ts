import { describe, expect, it } from 'vitest'
import { routeVaults } from '../../../examples/route-vaults.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import {
  blobStoreContract,
  createSeededRandomBytes,
  createTestVault,
  recordStoreContract,
} from '../../../src/testing.js'
import { readRecords } from '../../support/stores/stores.js'

function memories(count: number): ReturnType<typeof createMemoryStore>[] {
  return Array.from({ length: count }, createMemoryStore)
}

describe('routeVaults', () => {
  it.each(recordStoreContract)('over five stores, records: $name', ({ run }) =>
    run(routeVaults(memories(5)).records),
  )

  it.each(blobStoreContract)('over five stores, blobs: $name', ({ run }) =>
    run(routeVaults(memories(5)).blobs),
  )

  it('stores a vault in one store, and distributes the vaults', async () => {
    const stores = memories(5)
    const store = routeVaults(stores)
    const homes = new Set<number>()
    for (let number = 0; number < 20; number++) {
      const { service, caller, smallFile, item } = await createTestVault({
        store,
        randomBytes: createSeededRandomBytes(number + 1),
      })
      const vaultId = item.vault.id
      const stats = await Promise.all(stores.map((one) => readRecords(one, vaultId)))
      const holding = stats.flatMap((records, index) =>
        records.some((text) => text.startsWith(vaultId) || text.startsWith(item.id)) ? [index] : [],
      )
      expect(holding).toHaveLength(1)
      for (const index of holding) homes.add(index)
      const file = { vaultId, itemId: item.id, fileId: smallFile.id }
      const { content } = await service.readFileContent(caller, file)
      expect(await new Response(content).text()).toBe('hello')
    }
    expect(homes.size).toBeGreaterThan(3)
  })
})
