/** Tests a custom rule with a vault whose clock and randomness are fixed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller, Item, VaultService } from 'cofferkit'
import { createSeededRandomBytes, createTestVault } from 'cofferkit/testing'

const day = 24 * 60 * 60 * 1000

/**
 * The rule under test: a login that has not changed for 90 days gets a new password, unless a
 * concurrent change comes first.
 */
async function rotate(
  service: VaultService,
  caller: Caller,
  { id: itemId, vault, version, updatedAt }: Item,
  now: Date,
): Promise<boolean> {
  if (now.getTime() - Date.parse(updatedAt) < 90 * day) return false
  const value = {
    type: 'CONCEALED',
    purpose: 'PASSWORD',
    generate: true,
    recipe: { length: 20 },
  }
  const patch = [{ op: 'replace', path: '/fields/password', value }] as const
  await service.patchItem(caller, {
    vaultId: vault.id,
    itemId,
    patch,
    ifVersion: version,
  })
  return true
}

test('keeps a password for 89 days', async () => {
  const { service, caller, item, clock } = await createTestVault()
  clock.advance(89 * day)
  assert.equal(await rotate(service, caller, item, clock()), false)
})

test('replaces a password after 90 days', async () => {
  const { service, caller, vaultId, item, clock } = await createTestVault()
  clock.advance(90 * day)
  assert.equal(await rotate(service, caller, item, clock()), true)
  const { fields, version, updatedAt } = await service.getItem(caller, {
    vaultId,
    itemId: item.id,
  })
  const password = fields.find(({ id }) => id === 'password')
  assert.match(password?.value ?? '', /^[\w!@.*-]{20}$/)
  assert.equal(version, item.version + 1)
  assert.equal(updatedAt, '2026-04-01T00:00:00.000Z')
})

test('generates the same password from the same seed', async () => {
  const made = await Promise.all(
    [7, 7, 8].map(async (seed) => {
      const { service, caller, vaultId, item, clock } = await createTestVault({
        randomBytes: createSeededRandomBytes(seed),
      })
      clock.advance(90 * day)
      await rotate(service, caller, item, clock())
      const { fields } = await service.getItem(caller, {
        vaultId,
        itemId: item.id,
      })
      return fields.find(({ id }) => id === 'password')?.value
    }),
  )
  assert.equal(made[0], made[1])
  assert.notEqual(made[0], made[2])
})
