import { describe, expect, it } from 'vitest'
import { blobStoreContract } from '../../../src/testing.js'
import { runAll } from '../../support/run-all.js'
import { brokenBlobStores } from '../../support/stores/broken-blobs.js'

const variants = brokenBlobStores.flatMap(({ caseName, ...variant }) =>
  blobStoreContract
    .filter(({ name }) => name === caseName)
    .map((contractCase) => ({ ...variant, ...contractCase })),
)

describe('blobStoreContract', () => {
  it('has a broken store for every case', () => {
    const detected = new Set(variants.map(({ name }) => name))
    expect(blobStoreContract.map(({ name }) => name).filter((name) => !detected.has(name))).toEqual(
      [],
    )
    expect(variants).toHaveLength(brokenBlobStores.length)
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
      for (const other of blobStoreContract) {
        await other.run(subject()).catch(() => failing.push(other.name))
      }
      expect(failing).toContain(name)
      expect(failing.length).toBeLessThan(blobStoreContract.length / 2)
    },
  )
})
