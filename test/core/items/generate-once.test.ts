import { describe, expect, it } from 'vitest'
import { createGenerateOnce, createReplay } from '../../../src/core/items/generate-once.js'
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
import { itemPlace } from '../../support/items/refs.js'
import { keystream } from '../../support/stores/keystream.js'

const space: PasswordSpec = { sets: ['abcdefgh', '01234567'], length: 40 }
const generate = true
const recipe = { length: 40 }

/** A source, and how many bytes were drawn from it. */
function counted(inner: RandomBytes = keystream('counted')): {
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

/** The store that refuses the first puts of items, and the items that were put, as JSON. */
function refusing(inner: VaultStore, refusals: number): { store: VaultStore; tried: string[] } {
  const tried: string[] = []
  const faulty = createFaultyStore(inner, ({ method }) =>
    method === 'put' && tried.length <= refusals ? 'conflict' : undefined,
  )
  const store: VaultStore = {
    ...faulty,
    records: {
      ...faulty.records,
      put: (key, record, seen) => {
        tried.push(new TextDecoder().decode(record.body))
        return faulty.records.put(key, record, seen)
      },
    },
  }
  return { store, tried }
}

/** What a call puts, try after try, and how many bytes it has drawn. */
async function triesOf(
  refusals: number,
  call: (vault: TestVault) => Promise<unknown>,
  dialect = contractDialect,
): Promise<{ tried: string[]; drawn: number }> {
  const vault = await createTestVault()
  const { store, tried } = refusing(vault.store, refusals)
  const { randomBytes, drawn } = counted()
  await call({
    ...vault,
    service: createVaultService({ store, randomBytes, dialect, now: () => new Date(0) }),
  })
  return { tried, drawn: drawn() }
}

describe('createGenerateOnce', () => {
  it('returns the same value again for the same field and space, and draws nothing', () => {
    const { randomBytes, drawn } = counted()
    const generateOnce = createGenerateOnce(randomBytes)
    const value = generateOnce(space, 'f')
    const before = drawn()
    expect(generateOnce({ ...space }, 'f')).toBe(value)
    expect(drawn()).toBe(before)
    expect(value).toBe(generateValue(space, keystream('counted')))
  })

  it('draws another value for another field, another space and an index that looks like an id', () => {
    const generateOnce = createGenerateOnce(keystream('others'))
    const values = [
      generateOnce(space, 'f'),
      generateOnce(space, 'g'),
      generateOnce(space, '3'),
      generateOnce(space, 3),
      generateOnce(space, 4),
      generateOnce({ sets: ['abcdefgh01234567'], length: 40 }, 'f'),
      generateOnce({ ...space, length: 39 }, 'f'),
    ]
    expect(new Set(values).size).toBe(7)
  })
})

describe('createReplay', () => {
  it('returns the same bytes in the same order after each rewind, drawn once', () => {
    const { randomBytes, drawn } = counted()
    const replay = createReplay(randomBytes)
    const [first, second] = [replay(), replay()]
    const bytes = [first(16), first(16)]
    expect([second(16), second(16)]).toEqual(bytes)
    expect(drawn()).toBe(32)
    expect(second(16)).toHaveLength(16)
    expect(drawn()).toBe(48)
  })
})

describe('a change that loses races', () => {
  const draft = ({ vaultId }: TestVault): ItemDraft => ({
    category: 'LOGIN',
    vault: { id: vaultId },
    fields: [
      { id: 'a', generate, recipe },
      { id: 'b', generate, recipe },
    ],
  })
  const added = (path: string, value: object): PatchOperation => ({ op: 'add', path, value })
  const calls: readonly (readonly [string, (vault: TestVault) => Promise<unknown>])[] = [
    [
      'replaceItem',
      (vault) =>
        vault.service.replaceItem(vault.caller, { ...itemPlace(vault), item: draft(vault) }),
    ],
    [
      'patchItem',
      (vault) =>
        vault.service.patchItem(vault.caller, {
          ...itemPlace(vault),
          patch: [added('/fields/a', { generate, recipe }), added('/fields', { generate, recipe })],
        }),
    ],
  ]

  it.each(calls)(
    'draws randomness once, and puts the same values each time: %s',
    async (_, call) => {
      const [alone, contended] = [await triesOf(0, call), await triesOf(9, call)]
      expect(alone.tried).toHaveLength(1)
      expect(contended.tried).toHaveLength(10)
      expect(new Set(contended.tried).size).toBe(1)
      expect(contended.drawn).toBe(alone.drawn)
      const values = contended.tried[0]?.match(/"value":"[^"]{40}"/g) ?? []
      expect(new Set(values).size).toBe(2)
    },
  )

  it('puts the same values each time also where fields have no ids yet', async () => {
    const call = (vault: TestVault): Promise<unknown> => {
      const fields = [
        { generate, recipe },
        { generate, recipe },
      ]
      const item = { category: 'LOGIN', fields } as unknown as ItemDraft
      return vault.service.replaceItem(vault.caller, { ...itemPlace(vault), item })
    }
    const { tried } = await triesOf(3, call, connectDialect)
    const values = tried.map((text) => text.match(/"value":"[^"]{40}"/g)?.join())
    expect(values).toHaveLength(4)
    expect(new Set(values).size).toBe(1)
    expect(new Set(values[0]?.split(',')).size).toBe(2)
  })
})
