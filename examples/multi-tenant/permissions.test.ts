/** Shows without a database that the service obeys the permissions and rules. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestVault } from 'cofferkit/testing'
import { callerOf } from './permissions.ts'
import { options } from './rules.ts'
import type { Role, User } from './users.ts'

const userOf = (role: Role, vaultId: string): User => {
  return { id: role, role, vaultId, tenantId: 'acme', tenantName: 'Acme' }
}

test('a role decides within its tenant', async () => {
  const seed = { vaults: [{ name: 'Acme', items: [] }] }
  const { service, vaultId } = await createTestVault({ ...options, seed })
  const as = (role: Role, own = vaultId) =>
    service.as(callerOf(userOf(role, own)))
  const item = { category: 'API_CREDENTIAL', tags: ['test'] } as const
  const { id: itemId } = await as('admin').createItem({ vaultId, item })
  const ref = { vaultId, itemId }
  const denied = { code: 'FORBIDDEN' }

  assert.equal((await as('member').getItem(ref)).id, itemId)
  const untagged = { ...item, tags: [] }
  await assert.rejects(as('member').createItem({ vaultId, item: untagged }), {
    code: 'INVALID_INPUT',
  })
  await assert.rejects(as('member').deleteItem(ref), denied)
  await assert.rejects(as('admin').deleteVault({ vaultId }), denied)
  assert.equal((await as('auditor').listItems({ vaultId })).length, 1)
  await assert.rejects(as('auditor').getItem(ref), denied)
  await assert.rejects(as('admin', 'b'.repeat(26)).getItem(ref), denied)
})
