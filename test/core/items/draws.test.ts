import { describe, expect, it } from 'vitest'
import { createDraws } from '../../../src/core/items/draws.js'
import { generateValue, type PasswordSpec } from '../../../src/core/items/generate-value.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { contractDialect } from '../../../src/dialects/contract.js'
import {
  createVaultService,
  type ItemDraft,
  type PatchOperation,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { keystream } from '../../support/stores/keystream.js'

const spec: PasswordSpec = { sets: ['abcdefgh', '01234567'], length: 40 }
const generate = true
const recipe = { length: 40 }

/** A random source, and the number of bytes drawn from it. */
function countingSource(inner: RandomBytes = keystream('counted')): {
  randomBytes: RandomBytes
  drawn: () => number
} {
  let bytes = 0
  const randomBytes: RandomBytes = (length) => {
    bytes += length
    return inner(length)
  }
  return { randomBytes, drawn: () => bytes }
}

/** A store on which the first `conflicts` puts conflict, and the records that were put, as JSON. */
function conflictingStore(
  inner: VaultStore,
  conflicts: number,
): { store: VaultStore; attempts: string[] } {
  const attempts: string[] = []
  const faulty = createFaultyStore(inner, ({ method }) =>
    method === 'put' && attempts.length <= conflicts ? 'conflict' : undefined,
  )
  const store: VaultStore = {
    ...faulty,
    records: {
      ...faulty.records,
      put: (key, record, expectedVersion) => {
        attempts.push(new TextDecoder().decode(record.body))
        return faulty.records.put(key, record, expectedVersion)
      },
    },
  }
  return { store, attempts }
}

/** The records that a call puts, attempt after attempt, and the number of random bytes it draws. */
async function attemptsOf(
  conflicts: number,
  call: (vault: TestVault) => Promise<unknown>,
  dialect = contractDialect,
): Promise<{ attempts: string[]; drawn: number }> {
  const vault = await createTestVault()
  const { store, attempts } = conflictingStore(vault.store, conflicts)
  const { randomBytes, drawn } = countingSource()
  await call({
    ...vault,
    service: createVaultService({
      store,
      randomBytes,
      dialect,
      now: () => new Date(0),
      // However busy the machine is.
      retry: { maxTotalMs: Number.POSITIVE_INFINITY, sleep: async () => {} },
    }),
  })
  return { attempts, drawn: drawn() }
}

describe('createDraws', () => {
  it('returns the same value for the same field and spec without drawing again', () => {
    const { randomBytes, drawn } = countingSource()
    const draws = createDraws(randomBytes)
    const value = draws.value('f', spec)
    const before = drawn()
    expect(draws.value('f', { ...spec })).toBe(value)
    expect(drawn()).toBe(before)
    expect(value).toBe(generateValue(spec, keystream('counted')))
  })

  it('returns another value for another field, spec or index', () => {
    const draws = createDraws(keystream('others'))
    const generate = (of: PasswordSpec, field: string | number): string => draws.value(field, of)
    const values = [
      generate(spec, 'f'),
      generate(spec, 'g'),
      generate(spec, '3'),
      generate(spec, 3),
      generate(spec, 4),
      generate({ sets: ['abcdefgh01234567'], length: 40 }, 'f'),
      generate({ ...spec, length: 39 }, 'f'),
    ]
    expect(new Set(values).size).toBe(7)
  })

  it('returns the same id for the same place, and another one for another place', () => {
    const draws = createDraws(keystream('ids'))
    const id = draws.id('fields/0')
    expect([draws.id('fields/0'), draws.id('fields/1')]).toEqual([
      id,
      expect.not.stringContaining(id),
    ])
  })
})

describe('replaceItem, patchItem and regenerateField', () => {
  const draft = ({ vaultId }: TestVault): ItemDraft => ({
    category: 'LOGIN',
    vault: { id: vaultId },
    fields: [
      { id: 'a', generate, recipe },
      { id: 'b', generate, recipe },
    ],
  })
  const addOperation = (path: string, value: object): PatchOperation => ({ op: 'add', path, value })
  const calls: readonly (readonly [string, number, (vault: TestVault) => Promise<unknown>])[] = [
    [
      'replaceItem',
      2,
      (vault) => vault.service.replaceItem(vault.caller, { ...itemRef(vault), item: draft(vault) }),
    ],
    [
      'patchItem',
      2,
      (vault) =>
        vault.service.patchItem(vault.caller, {
          ...itemRef(vault),
          patch: [
            addOperation('/fields/a', { generate, recipe }),
            addOperation('/fields', { generate, recipe }),
          ],
        }),
    ],
    [
      'regenerateField',
      1,
      (vault) =>
        vault.service.regenerateField(vault.caller, {
          ...itemRef(vault),
          fieldId: 'password',
          recipe,
        }),
    ],
  ]

  it.each(calls)(
    '%s draws randomness once and puts the same values when a put conflicts',
    async (_, count, call) => {
      const [alone, contended] = [await attemptsOf(0, call), await attemptsOf(9, call)]
      expect(alone.attempts).toHaveLength(1)
      expect(contended.attempts).toHaveLength(10)
      expect(new Set(contended.attempts).size).toBe(1)
      expect(contended.drawn).toBe(alone.drawn)
      const values = contended.attempts[0]?.match(/"value":"[^"]{40}"/g) ?? []
      expect(new Set(values).size).toBe(count)
    },
  )

  it('replaceItem puts the same ids and values when a put conflicts and fields have no ids', async () => {
    const call = (vault: TestVault): Promise<unknown> => {
      const fields = [
        { generate, recipe },
        { generate, recipe },
      ]
      const item = { category: 'LOGIN', fields } as unknown as ItemDraft
      return vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
    }
    const { attempts } = await attemptsOf(3, call, connectDialect)
    const values = attempts.map((text) => text.match(/"value":"[^"]{40}"/g)?.join())
    expect(values).toHaveLength(4)
    expect(new Set(attempts).size).toBe(1)
    expect(new Set(values[0]?.split(',')).size).toBe(2)
  })
})
