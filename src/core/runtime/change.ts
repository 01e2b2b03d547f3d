/** A change of a vault or an item, described by ids and versions. */

import type { ActivityAction, ActivityResource } from '../../schema/activity-entry.js'

/**
 * The kinds of changes, which are also the types of events, and how the operations that make them
 * are recorded in the activity log.
 */
export const changeTypes = {
  'vault.created': ['CREATE', 'VAULT'],
  'vault.updated': ['UPDATE', 'VAULT'],
  'vault.deleted': ['DELETE', 'VAULT'],
  'item.created': ['CREATE', 'ITEM'],
  'item.updated': ['UPDATE', 'ITEM'],
  'item.deleted': ['DELETE', 'ITEM'],
} as const satisfies Readonly<Record<string, readonly [ActivityAction, ActivityResource]>>

/** A kind of change, which is also a type of event. */
export type VaultEventType = keyof typeof changeTypes

/** All kinds of changes. */
export const vaultEventTypes = Object.keys(changeTypes) as readonly VaultEventType[]

/** A change of a vault or an item. It contains no value of an item. */
export interface Change {
  readonly type: VaultEventType
  readonly vaultId: string
  /** Absent if the vault itself is changed. */
  readonly itemId?: string
  /** The version that the change creates or deletes. Absent if it does neither. */
  readonly version?: number
}

/** A change as it is recorded before it is made. */
export interface PlannedChange extends Change {
  /**
   * The version of the record that the change writes or, if it deletes the record, would write.
   * Unlike `attributeVersion` it continues when a vault is deleted and created again. Absent if the
   * change creates and deletes no version.
   */
  readonly recordVersion?: number
}
