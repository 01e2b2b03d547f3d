/** A server of the bench. Each module of a server exports `createServer`. */

import type { Server } from 'node:net'

/** A server with stored items that does not listen yet. */
export interface CreatedServer {
  readonly server: Server
  readonly itemIds: readonly string[]
}

/** The kind of the storage of a server. */
export type StorageKind = 'memory' | 'sqlite' | 'postgres'

/** The conditions of a server. */
export interface ServerOptions {
  /** Number of stored items. */
  readonly count: number
  readonly storage: StorageKind
  /** The folder of the SQLite file or the URL of the PostgreSQL server; empty for memory. */
  readonly location: string
  /** URL of the build of the library; empty for a competitor. */
  readonly build: string
  /** The option `cache.items` of the library's service; 0 without a cache. */
  readonly cachedItems: number
}

/** Creates a server. */
export type CreateServer = (options: ServerOptions) => Promise<CreatedServer>
