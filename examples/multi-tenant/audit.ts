/** The audit trail: a row for each access, with the user's tenant and email. */

import type { ActivityEntry } from 'cofferkit'
import { pool } from './db.ts'
import type { User } from './users.ts'

/** Adds a row. The second entry of a change replaces the first, `PENDING`. */
export async function recordAccess(entry: ActivityEntry): Promise<void> {
  const { vault, item } = entry.resource
  await pool.query(
    `INSERT INTO accesses (request_id, item_id, vault_id, tenant_id, email, entry)
     SELECT $1::uuid, $2::text, $3::text, tenant_id, email, $5::jsonb
     FROM (VALUES ($4::text)) AS actor (id) LEFT JOIN users USING (id)
     ON CONFLICT (request_id, item_id) DO UPDATE SET entry = excluded.entry
     WHERE accesses.entry->>'result' = 'PENDING'`,
    [entry.requestId, item?.id ?? '', vault?.id ?? null, entry.actor.id, entry],
  )
}

/** Returns the last 100 accesses of a tenant to its vault, newest first. */
export async function listAccesses({
  tenantId,
  vaultId,
}: User): Promise<object[]> {
  const { rows } = await pool.query(
    `SELECT entry->>'timestamp' AS at, email AS who,
       entry->>'operation' AS operation, entry->>'result' AS result,
       entry#>>'{resource,item,id}' AS item
     FROM accesses WHERE vault_id = $1 AND tenant_id = $2
     ORDER BY n DESC LIMIT 100`,
    [vaultId, tenantId],
  )
  return rows
}
