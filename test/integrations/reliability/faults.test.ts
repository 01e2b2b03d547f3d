import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import type { FixtureOptions } from '../../../tools/reliability/faults/fixture.js'
import { operationCalls } from '../../../tools/reliability/faults/operation-calls.js'
import {
  type FaultFindings,
  runFaultInjection,
} from '../../../tools/reliability/faults/run-fault-injection.js'
import { replaceOperations } from '../../../tools/reliability/support/replace-operations.js'

type CreateService = FixtureOptions['createService']

const broken: readonly (readonly [string, string, RegExp, CreateService])[] = [
  [
    'reports a failed write as done',
    'patchItem',
    /call \d \(records\.put\) fails before: leaves/,
    withService((service) =>
      replaceOperations(service, {
        patchItem: (caller, input) => {
          const { vaultId, itemId } = input
          return service
            .patchItem(caller, input)
            .catch(() => service.getItem(caller, { vaultId, itemId }))
        },
      }),
    ),
  ],
  [
    'returns before it has written',
    'deleteItem',
    /call \d+ \(records\.delete\) fails before: leaves/,
    withService((service) =>
      replaceOperations(service, {
        deleteItem: async (caller, input) => {
          service.deleteItem(caller, input).catch(() => {})
        },
      }),
    ),
  ],
  [
    'repeats a failed put',
    'replaceItem',
    /call \d \(records\.put\) fails after: /,
    withStore(({ records, blobs }) => ({
      blobs,
      records: {
        ...records,
        put: (key, record, seen) =>
          records.put(key, record, seen).catch(() => records.put(key, record, seen)),
      },
    })),
  ],
  [
    'reveals the error of the driver',
    'getItem',
    /an error contains a value/,
    withService((service) =>
      replaceOperations(service, {
        getItem: (caller, input) =>
          service.getItem(caller, input).catch((error: unknown) => {
            throw Object.assign(error as Error, { row: 'SECRET-of-the-driver' })
          }),
      }),
    ),
  ],
  [
    'throws an error that is no VaultError',
    'getVault',
    /fails before: returns TypeError/,
    withService((service) =>
      replaceOperations(service, {
        getVault: (caller, input) =>
          service.getVault(caller, input).catch(() => {
            throw new TypeError('undefined is not a function')
          }),
      }),
    ),
  ],
  [
    'leaves blobs behind that no collection finds',
    'attachFile',
    /left behind: \d blobs for \d files/,
    withStore(({ records, blobs }) => ({
      blobs,
      records: {
        ...records,
        put: async (key, record, seen) =>
          key.collection.startsWith('pending-blobs/') || records.put(key, record, seen),
      },
    })),
  ],
  [
    'writes the title and the rest of an item separately',
    'replaceItem',
    /\(records\.put\) fails before: leaves/,
    withService((service) =>
      replaceOperations(service, {
        replaceItem: async (caller, { item, ...ref }) => {
          const { title = '', ...rest } = item
          const patch = [{ op: 'replace', path: '/title', value: title }] as const
          await service.patchItem(caller, { ...ref, patch })
          return service.replaceItem(caller, { ...ref, item: { ...rest, title } })
        },
      }),
    ),
  ],
]

/** `npm run prove -- faults --short`, which CI runs, looks for violations of the library itself. */
describe('runFaultInjection', () => {
  it.each(broken)('catches a service that %s', async (_, operation, violation, createService) => {
    const { violations } = await runOne(operation, createService)
    expect(violations.join('\n')).toMatch(violation)
  })
})

async function runOne(name: string, createService: CreateService): Promise<FaultFindings> {
  const operations = operationCalls.filter((call) => call.name === name)
  const wrap = (store: VaultStore): VaultStore => store
  for await (const found of runFaultInjection({ createService, wrap, depth: 1, operations }))
    return found
  throw new Error(`the operation ${name} does not exist`)
}

function withService(change: (service: VaultService) => VaultService): CreateService {
  return (options) => change(createVaultService(options))
}

function withStore(change: (store: VaultStore) => VaultStore): CreateService {
  return (options) => createVaultService({ ...options, store: change(options.store) })
}
