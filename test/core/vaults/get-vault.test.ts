import { describe, expect, it } from 'vitest'
import { createTestVault } from '../../../src/testing.js'
import { notFound } from '../../support/service/rejections.js'

describe('getVault', () => {
  it('returns the created vault', async () => {
    const { service, caller, vaultId } = await createTestVault()
    expect(await service.getVault(caller, { vaultId })).toStrictEqual({
      id: vaultId,
      name: 'Test',
      type: 'USER_CREATED',
      attributeVersion: 1,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it('throws NOT_FOUND when the vault does not exist', async () => {
    const { service, caller } = await createTestVault()
    const vaultId = 'z'.repeat(26)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject(
      notFound('vault', vaultId),
    )
  })
})
