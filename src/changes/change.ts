/** A change that a watcher receives, and what the log says of it besides. */

import type { VaultEventType } from '../core/runtime/change.js'

/** A change of a vault or an item. It contains ids and versions, but no values. */
export interface Change {
  readonly type: VaultEventType
  readonly vaultId: string
  /** Absent if the vault itself is changed. */
  readonly itemId?: string
  /** The version that was created or deleted: of the item, or the `attributeVersion` of a vault. */
  readonly version: number
  /** The time at which the change was recorded, just before it was made: RFC 3339 in UTC. */
  readonly at: string
  /** Resumes after this change: see `since`. A change that is delivered again has the same id. */
  readonly id: string
}

/** A change in the log, which may not have been made. */
export interface LoggedChange {
  readonly change: Change
  /** The version of the record that the change writes. */
  readonly recordVersion: number
  readonly requestId: string
  /** The time of the entry, in milliseconds. */
  readonly time: number
}

/** Returns true if the change deletes the vault or the item. */
export function isDeletion({ change }: LoggedChange): boolean {
  return change.type.endsWith('.deleted')
}
