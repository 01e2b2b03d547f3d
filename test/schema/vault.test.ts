import { describe, expect, it } from 'vitest'
import { createVaultInputSchema, updateVaultInputSchema } from '../../src/schema/inputs.js'
import { vaultSchema } from '../../src/schema/vault.js'

const vault = {
  id: 'v'.repeat(26),
  name: 'Private',
  type: 'USER_CREATED',
  attributeVersion: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

describe('vaultSchema', () => {
  it.each([
    ...['USER_CREATED', 'PERSONAL', 'EVERYONE', 'TRANSFER'].map((type) => ({ type })),
    { description: '' },
    { attributeVersion: 7 },
  ])('accepts a vault with %j', (changes) => {
    expect(vaultSchema.parse({ ...vault, ...changes })).toEqual({ ...vault, ...changes })
  })

  it.each([
    { type: 'SHARED' },
    { type: 'personal' },
    { id: 'short' },
    { name: 1 },
    { description: null },
    { description: undefined },
    { attributeVersion: 0 },
    { attributeVersion: 1.5 },
    { createdAt: 'yesterday' },
    { updatedAt: 'tomorrow' },
  ])('rejects a vault with %j', (changes) => {
    expect(vaultSchema.safeParse({ ...vault, ...changes }).success).toBe(false)
  })

  it.each(Object.keys(vault))('rejects a vault without %s', (name) => {
    const { [name as keyof typeof vault]: _left, ...rest } = vault
    expect(vaultSchema.safeParse(rest).success).toBe(false)
  })
})

describe('createVaultInputSchema', () => {
  it('accepts a name of at least one character and a description', () => {
    expect(createVaultInputSchema.parse({ name: 'V' })).toEqual({ name: 'V' })
    expect(createVaultInputSchema.parse({ name: 'V', description: '' })).toEqual({
      name: 'V',
      description: '',
    })
  })

  it.each([{}, { name: '' }, { name: null }, { name: 'V', description: null }])(
    'rejects %j',
    (input) => {
      expect(createVaultInputSchema.safeParse(input).success).toBe(false)
    },
  )
})

describe('updateVaultInputSchema', () => {
  it.each([{}, { name: 'V' }, { name: undefined }, { description: '' }, { description: null }])(
    'accepts %j',
    (input) => {
      expect(updateVaultInputSchema.parse(input)).toEqual(input)
    },
  )

  it.each([{ name: '' }, { name: null }, { name: 7 }, { description: 7 }])(
    'rejects %j',
    (input) => {
      expect(updateVaultInputSchema.safeParse(input).success).toBe(false)
    },
  )
})
