/** An item in a transaction of the application: Drizzle on PostgreSQL. */

import type { Caller, TransactionClient, VaultService } from 'cofferkit'
import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'

/** A table of the application. Its rows and the items are made together. */
export const integrations = pgTable('integrations', {
  itemId: text('item_id').primaryKey(),
  tenantId: text('tenant_id').notNull().unique(),
})

/** The part of a transaction of Drizzle that the vault uses. */
type DrizzleTransaction = Pick<NodePgDatabase, 'execute'>

/** Returns the client of a transaction: each `$1` of a statement becomes a parameter of Drizzle. */
export function drizzleClient(tx: DrizzleTransaction): TransactionClient {
  return {
    async query(text, values) {
      const parts = text
        .split(/\$(\d+)/)
        .map((part, index) =>
          index % 2 === 0
            ? sql.raw(part)
            : sql`${sql.param(values[Number(part) - 1])}`,
        )
      const { rows } = await tx.execute(sql.join(parts))
      return { rows }
    },
  }
}

/** What is saved for a tenant. */
export interface NewIntegration {
  readonly vaultId: string
  readonly tenantId: string
  readonly apiKey: string
}

/** Stores the key of a tenant in an item, and its id in a row: both, or neither. */
export function addIntegration(
  db: NodePgDatabase,
  service: VaultService,
  caller: Caller,
  { vaultId, tenantId, apiKey }: NewIntegration,
): Promise<string> {
  return db.transaction(async (tx) => {
    const vault = service.inTransaction(drizzleClient(tx))
    const fields = [{ id: 'key', type: 'CONCEALED', value: apiKey }] as const
    const item = {
      category: 'API_CREDENTIAL',
      title: tenantId,
      fields,
    } as const
    const { id } = await vault.createItem(caller, { vaultId, item })
    await tx.insert(integrations).values({ itemId: id, tenantId })
    return id
  })
}
