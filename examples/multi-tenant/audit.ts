/** The audit trail: a row for each access, with the tenant and email as they were at the time. */

import type { ActivityEntry } from 'cofferkit'
import { pool } from './db.ts'
import type { User } from './users.ts'

export async function recordAccess(entry: ActivityEntry): Promise<void> {
  await pool.query(
    `INSERT INTO accesses (vault_id, tenant_id, email, entry)
     SELECT $1::text, tenant_id, email, $3::jsonb
     FROM (VALUES ($2::text)) AS actor (id) LEFT JOIN users USING (id)`,
    [entry.resource.vault?.id ?? null, entry.actor.id, entry],
  )
}

/** Returns the last 100 accesses of the user's tenant to its vault, newest first. */
export async function listAccesses({ tenantId, vaultId }: User): Promise<object[]> {
  const { rows } = await pool.query(
    `SELECT entry->>'timestamp' AS at, email AS who,
       entry->>'operation' AS operation, entry->>'result' AS result,
       entry#>>'{resource,item,id}' AS item
     FROM (
       SELECT DISTINCT ON (entry->>'requestId', entry#>>'{resource,item,id}') n, email, entry
       FROM (
         SELECT * FROM accesses WHERE vault_id = $1 AND tenant_id = $2 ORDER BY n DESC LIMIT 200
       ) AS newest
       ORDER BY entry->>'requestId', entry#>>'{resource,item,id}', n DESC
     ) AS outcomes
     ORDER BY n DESC LIMIT 100`,
    [vaultId, tenantId],
  )
  return rows
}
