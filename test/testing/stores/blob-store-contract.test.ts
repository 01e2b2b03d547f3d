import { describe, expect, it } from 'vitest'
import { blobStoreContract } from '../../../src/testing.js'
import { brokenBlobStores } from '../../support/stores/broken-blobs.js'

const twins = brokenBlobStores.flatMap(({ caught, ...twin }) =>
  blobStoreContract
    .filter(({ name }) => name === caught)
    .map((contractCase) => ({ ...twin, ...contractCase })),
)

describe('blobStoreContract', () => {
  it('has a broken store for every case', () => {
    const caught = new Set(twins.map(({ name }) => name))
    expect(blobStoreContract.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual(
      [],
    )
    expect(twins).toHaveLength(brokenBlobStores.length)
  })

  it.each(twins)('sees the store that breaks it: $name', async ({ run, seen, subject }) => {
    await expect(run(subject())).rejects.toThrow(seen)
  })

  it.each(twins)(
    'is the one that tells the store from a good one: $name',
    async ({ name, subject }) => {
      const failing: string[] = []
      for (const other of blobStoreContract) {
        await other.run(subject()).catch(() => failing.push(other.name))
      }
      expect(failing).toContain(name)
      expect(failing.length).toBeLessThan(blobStoreContract.length / 2)
    },
  )
})
