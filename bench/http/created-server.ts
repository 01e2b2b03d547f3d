/** A server of the bench. Each module of a server exports `createServer`. */

import type { Server } from 'node:net'

/** A server with stored items that does not listen yet. */
export interface CreatedServer {
  readonly server: Server
  readonly itemIds: readonly string[]
}

/** Creates a server with `count` stored items. The library comes from the build at this URL. */
export type CreateServer = (count: number, build: string) => Promise<CreatedServer>
