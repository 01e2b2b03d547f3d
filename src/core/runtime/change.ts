/** A change of a vault or an item, described by ids and versions. */

import type { ActivityAction } from '../../schema/activity-entry.js'
import type { Item } from '../../schema/item.js'

/** The kinds of changes, which are also the types of events, and their actions in activity entries. */
export const changeActions = {
  'vault.created': 'CREATE',
  'vault.updated': 'UPDATE',
  'vault.deleted': 'DELETE',
  'item.created': 'CREATE',
  'item.updated': 'UPDATE',
  'item.deleted': 'DELETE',
} as const satisfies Readonly<Record<string, ActivityAction>>

/** A kind of change, which is also a type of event. */
export type VaultEventType = keyof typeof changeActions

/** All kinds of changes. */
export const vaultEventTypes = Object.keys(changeActions) as readonly VaultEventType[]

/** A stored change of a vault or an item. It contains ids and versions, but no values. */
export interface VaultEvent {
  readonly type: VaultEventType
  readonly vaultId: string
  /** Not set if the vault itself is changed. */
  readonly itemId?: string
  /** The version that the change creates or deletes. Not set if it does neither. */
  readonly version?: number
  /** The name of the operation that made the change. */
  readonly operation: string
  /** The id of the caller of the operation. */
  readonly callerId: string
  /** The time at which the change was stored, RFC 3339 in UTC. */
  readonly at: string
}

/** What is changed. It is known before the change is stored. */
export type Change = Omit<VaultEvent, 'operation' | 'callerId' | 'at'>

/** Returns the change of this type of an item, with the item's version. */
export function itemChange(
  type: VaultEventType,
  { id, vault, version }: Pick<Item, 'id' | 'vault' | 'version'>,
): Change {
  return { type, vaultId: vault.id, itemId: id, version }
}
