import { describe, expect, it } from 'vitest'
import type { StageOptions } from '../../reliability/faults/fixture.js'
import { stagedCalls } from '../../reliability/faults/operations.js'
import { type FaultFindings, proveFaults } from '../../reliability/faults/run-fault-injection.js'
import { createVaultService, type VaultService, type VaultStore } from '../../src/index.js'

type Maker = StageOptions['createService']

const broken: readonly (readonly [string, string, RegExp, Maker])[] = [
  [
    'answers as if it had written what failed',
    'patchItem',
    /call \d \(records\.put\) fails before: leaves/,
    changing((service) => ({
      ...service,
      patchItem: (caller, input) =>
        service.patchItem(caller, input).catch(() => service.getItem(caller, input)),
    })),
  ],
  [
    'answers before it has written',
    'deleteItem',
    /call \d+ \(records\.delete\) fails before: leaves/,
    changing((service) => ({
      ...service,
      deleteItem: async (caller, input) => {
        service.deleteItem(caller, input).catch(() => {})
      },
    })),
  ],
  [
    'puts again what failed',
    'replaceItem',
    /call \d \(records\.put\) fails after: /,
    onStore(({ records, blobs }) => ({
      blobs,
      records: {
        ...records,
        put: (key, record, seen) =>
          records.put(key, record, seen).catch(() => records.put(key, record, seen)),
      },
    })),
  ],
  [
    'tells what the driver said',
    'getItem',
    /an error holds a value/,
    changing((service) => ({
      ...service,
      getItem: (caller, input) =>
        service.getItem(caller, input).catch((error: unknown) => {
          throw Object.assign(error as Error, { row: 'SECRET-of-the-driver' })
        }),
    })),
  ],
  [
    'lets through what the driver threw',
    'getVault',
    /fails before: answers TypeError/,
    changing((service) => ({
      ...service,
      getVault: (caller, input) =>
        service.getVault(caller, input).catch(() => {
          throw new TypeError('undefined is not a function')
        }),
    })),
  ],
  [
    'leaves contents behind that nobody can find',
    'attachFile',
    /left behind: \d contents for \d files/,
    onStore(({ records, blobs }) => ({
      blobs,
      records: {
        ...records,
        put: async (key, record, seen) =>
          key.collection.startsWith('pending-blobs/') || records.put(key, record, seen),
      },
    })),
  ],
  [
    'takes the title of the item before and the rest of the item after',
    'replaceItem',
    /\(records\.put\) fails before: leaves/,
    changing((service) => ({
      ...service,
      replaceItem: async (caller, { item, ...ref }) => {
        const { title = '', ...rest } = item
        const patch = [{ op: 'replace', path: '/title', value: title }] as const
        await service.patchItem(caller, { ...ref, patch })
        return service.replaceItem(caller, { ...ref, item: { ...rest, title } })
      },
    })),
  ],
]

describe('proof:faults', { timeout: 60_000 }, () => {
  it('finds nothing in the service, in any operation, whatever goes wrong in one call', async () => {
    let cases = 0
    for (const operation of stagedCalls) {
      const found = await findingsOf(operation.name, createVaultService)
      expect(found.violations).toEqual([])
      cases += found.cases
    }
    expect(cases).toBeGreaterThan(500)
  })

  it.each(broken)('catches a service that %s', async (_, operation, violation, createService) => {
    const { violations } = await findingsOf(operation, createService)
    expect(violations.join('\n')).toMatch(violation)
  })
})

async function findingsOf(name: string, createService: Maker): Promise<FaultFindings> {
  const operations = stagedCalls.filter((call) => call.name === name)
  const wrap = (store: VaultStore): VaultStore => store
  for await (const found of proveFaults({ createService, wrap, depth: 1, operations })) return found
  throw new Error(`there is no operation ${name}`)
}

function changing(change: (service: VaultService) => VaultService): Maker {
  return (options) => change(createVaultService(options))
}

function onStore(change: (store: VaultStore) => VaultStore): Maker {
  return (options) => createVaultService({ ...options, store: change(options.store) })
}
