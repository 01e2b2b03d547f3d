/**
 * The values that examples in comments use without saying where they come from. They belong to the
 * app of the reader. Examples are only compiled, so they need no more than the types.
 */

/// <reference path="./koa-mount.d.ts" />

import type {} from '@fastify/session'
import type { Auth } from 'better-auth'
import type {
  ActivityEntry,
  Caller,
  ItemRef,
  NewItemDraft,
  TransactionClient,
  VaultPermissions,
  VaultService,
  VaultStore,
} from 'cofferkit'
import type { Credentials } from 'cofferkit/credentials'
import type { KeyProvider } from 'cofferkit/encrypted'
import type { Authenticate, BearerAuthenticator, HttpHandler } from 'cofferkit/http'
import type { TokenSet } from 'cofferkit/oauth'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'

declare global {
  namespace Express {
    interface User {
      readonly id: string
      readonly vaults: VaultPermissions
    }
    interface Request {
      user?: User | undefined
    }
  }
}

declare module 'fastify' {
  interface Session {
    userId?: string
  }
}

// The vault.
export declare const service: VaultService
export declare const store: VaultStore
export declare const caller: Caller
export declare const agent: Caller
export declare const vaultId: string
export declare const itemId: string
export declare const ref: ItemRef
export declare const item: NewItemDraft
export declare const credentials: Credentials
export declare const api: HttpHandler
export declare const authenticate: Authenticate
export declare const authenticator: BearerAuthenticator<Caller>

// The database of the app.
export declare const pool: Pool
export declare const db: NodePgDatabase
export declare function drizzleClient(tx: Pick<NodePgDatabase, 'execute'>): TransactionClient
export const integrations = pgTable('integrations', { id: text(), tenantId: text() })
export declare const tenantId: string
export declare const table: {
  upsert(key: string, row: ActivityEntry): Promise<void>
  newestFirst(): AsyncIterable<ActivityEntry>
}
export declare function runOnce(name: string, sql: string): Promise<void>
export declare function findRow(id: string): Promise<{ token: string; origin: string }>
export declare function findVaultOfCustomer(id: string): Promise<string>
export declare const providersOfTenants: ReadonlyMap<string, KeyProvider>

// The logins of the app, and what it knows of other services.
export declare const auth: Auth
export declare const sessions: ReadonlyMap<
  string | undefined,
  { readonly id: string; readonly vaults: VaultPermissions }
>
export declare const tokens: TokenSet
export declare function refresh(refreshToken: string): Promise<TokenSet | false>
export declare function isAccepted(key: string): Promise<boolean>
export declare const accessKeyId: string
export declare const secretAccessKey: string

// The limits of the app.
export declare const limiter: { take(id: string): boolean }
export declare function count(operation: string): void
