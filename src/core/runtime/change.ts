/** A change of a vault or an item, described by ids and versions. */

/** The kinds of changes, which are also the types of events. */
export const vaultEventTypes = [
  'vault.created',
  'vault.updated',
  'vault.deleted',
  'item.created',
  'item.updated',
  'item.deleted',
] as const

/** A kind of change, which is also a type of event. */
export type VaultEventType = (typeof vaultEventTypes)[number]

/** A change of a vault or an item. It contains no value of an item. */
export interface Change {
  readonly type: VaultEventType
  readonly vaultId: string
  /** Absent if the vault itself is changed. */
  readonly itemId?: string
  /**
   * The version that the change creates or deletes. Absent if the change creates and deletes none.
   */
  readonly version?: number
}
