import { createReferenceResolver } from 'cofferkit/references'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault } from '../../src/testing.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { noteDraft } from '../support/drafts.js'
import { runAll } from '../support/run-all.js'

/** Creates a vault with items whose titles begin with the same 128 characters. */
async function createVault(
  count: number,
  extraFields: readonly { id: string; value: string }[] = [],
) {
  const memory = createMemoryStore()
  let listed = 0
  const store = {
    ...memory,
    records: {
      ...memory.records,
      list: async (...args: Parameters<typeof memory.records.list>) => {
        const records = await memory.records.list(...args)
        listed += records.length
        return records
      },
    },
  }
  const { service, caller, vaultId } = await createTestVault({ store })
  const titles = Array.from({ length: count }, (_, index) => `${'a'.repeat(128)}${index}`)
  for (const [index, title] of titles.entries()) {
    const fields = [{ id: 'value', value: String(index) }, ...extraFields]
    await service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title, fields }) })
  }
  const resolver = createReferenceResolver(service, caller)
  listed = 0
  return { titles, resolver, countListed: () => listed }
}

describe('createReferenceResolver', () => {
  it('reads the list once for names with the same first 128 characters', async () => {
    const { titles, resolver, countListed } = await createVault(40)
    const values = await resolver.resolveAll(titles.map((title) => `op://Test/${title}/value`))
    expect(values).toEqual(titles.map((_, index) => String(index)))
    // It listed all 40 items for each of the 40 names. Besides them there are the vault and an item.
    expect(countListed()).toBeLessThan(100)
  })

  it('prefers the exact name, and finds a name in another case, in a list read once', async () => {
    const { titles, resolver, countListed } = await createVault(10)
    const references = titles.flatMap((title) => [title, title.toUpperCase(), title])
    const values = await resolver.resolveAll(references.map((name) => `op://Test/${name}/value`))
    expect(values).toEqual(titles.flatMap((_, index) => Array(3).fill(String(index))))
    expect(countListed()).toBeLessThan(40)
  })

  it('finds a name that is longer than a word of a filter', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const title = 'a'.repeat(900)
    const fields = [{ id: 'value', value: 'found' }]
    await service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title, fields }) })
    const resolver = createReferenceResolver(service, caller)
    expect(await resolver.resolve(`op://Test/${title}/value`)).toBe('found')
    expect(await resolver.resolve(`op://Test/${title.toUpperCase()}/value`)).toBe('found')
  })

  it('looks up a name once for all spellings of its vault', async () => {
    const { titles, resolver, countListed } = await createVault(40)
    const vaults = ['Test', 'TEST', 'test', 'tEst', 'teSt', 'tesT', 'TEst', 'TESt']
    await resolver.resolveAll(vaults.map((vault) => `op://${vault}/${titles[0]}/value`))
    expect(countListed()).toBeLessThan(100)
  })

  it.runIf(runAll)('resolves 1,000 such names among 1,000 items in linear time', async () => {
    const { titles, resolver } = await createVault(1000)
    const cpuTime = measureCpuTime()
    await resolver.resolveAll(titles.map((title) => `op://Test/${title}/value`))
    // It took 8 s.
    expect(cpuTime()).toBeLessThan(2000)
  })
  it.runIf(runAll)('resolves 40 such names among 40 items of 1 MB in linear time', async () => {
    const value = 'x'.repeat(62_500)
    const large = Array.from({ length: 16 }, (_, index) => ({ id: `large${index}`, value }))
    const { titles, resolver } = await createVault(40, large)
    const cpuTime = measureCpuTime()
    await resolver.resolveAll(titles.map((title) => `op://Test/${title}/value`))
    // To read an item takes 5 ms, and each was read for each of the names.
    expect(cpuTime()).toBeLessThan(2000)
  })
})
