import { describe, expect, it } from 'vitest'
import { createTestClock, createTestVault } from '../../../src/testing.js'
import { invalid } from '../../support/service/rejections.js'

describe('createVault', () => {
  it('returns the new vault with the current time', async () => {
    const { service, caller } = await createTestVault({
      now: createTestClock('2026-05-04T03:02:01.009Z'),
    })
    const vault = await service.createVault(caller, { name: 'Work', description: 'All of it' })
    expect(vault).toStrictEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      name: 'Work',
      description: 'All of it',
      type: 'USER_CREATED',
      attributeVersion: 1,
      createdAt: '2026-05-04T03:02:01.009Z',
      updatedAt: '2026-05-04T03:02:01.009Z',
    })
    expect(await service.getVault(caller, { vaultId: vault.id })).toStrictEqual(vault)
  })

  it('uses the given id and requires no description', async () => {
    const { service, caller } = await createTestVault()
    const vault = await service.createVault(caller, { name: 'Mine', vaultId: '0'.repeat(26) })
    expect(vault.id).toBe('0'.repeat(26))
    expect(vault).not.toHaveProperty('description')
  })

  it('gives two vaults with the same name different ids', async () => {
    const { service, caller } = await createTestVault()
    const [a, b] = [
      await service.createVault(caller, { name: 'Same' }),
      await service.createVault(caller, { name: 'Same' }),
    ]
    expect(a.id).not.toBe(b.id)
  })

  it('throws CONFLICT (409) when a vault with the id exists', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const before = await service.getVault(caller, { vaultId })
    await expect(service.createVault(caller, { name: 'Other', vaultId })).rejects.toMatchObject({
      code: 'CONFLICT',
      status: 409,
      message: `vault ${vaultId} already exists`,
    })
    expect(await service.getVault(caller, { vaultId })).toStrictEqual(before)
  })

  it.each<[string, object, string]>([
    ['no name', {}, 'name must be a string'],
    ['an empty name', { name: '' }, 'name must be at least 1 characters long'],
    ['a name with U+0000', { name: 'a\0' }, 'name must not contain U+0000'],
    ['a name with a lone surrogate', { name: 'a\ud800' }, 'name must not contain a lone surrogate'],
    [
      'a name that is too long',
      { name: 'é'.repeat(32_769) },
      'name must be at most 65536 bytes long',
    ],
    [
      'a description that is not a string',
      { name: 'a', description: 7 },
      'description must be a string',
    ],
    [
      'a description with U+0000',
      { name: 'a', description: '\0' },
      'description must not contain U+0000',
    ],
  ])('rejects %s', async (_, input, message) => {
    const { service, caller } = await createTestVault()
    await expect(service.createVault(caller, input as { name: string })).rejects.toMatchObject(
      invalid(message),
    )
  })

  it('accepts a name of any other characters and length', async () => {
    const { service, caller } = await createTestVault()
    for (const name of [' ', '\n"\u202e', '😀'.repeat(16_384)]) {
      const { id } = await service.createVault(caller, { name })
      expect(await service.getVault(caller, { vaultId: id })).toMatchObject({ name })
    }
  })
})
