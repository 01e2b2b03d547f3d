/** The options of a vault service. */

import type { Dialect } from '../dialects/dialect.js'
import type { ActivityLog } from '../schema/activity.js'
import type { VaultStore } from '../store.js'
import type { Limits } from './runtime/limits.js'
import type { RandomBytes } from './runtime/random.js'

/** Options of `createVaultService`. */
export interface VaultServiceOptions {
  /** The store of all vaults, items and files. */
  readonly store: VaultStore
  /**
   * Milliseconds after which a call of the store that has not settled fails with
   * StorageUnavailableError (503): more than 0, Infinity for no timeout; 30,000 if absent. Each
   * read of a blob counts as a call, and so does each time that the store keeps an upload waiting.
   * Time in which the client is waited for does not count. A change that has waited more than twice
   * as long for earlier changes of its record fails with the same error, and is not made.
   */
  readonly storeTimeoutMs?: number
  /**
   * The size up to which the content of a file is returned inline, in KB of 1,024 bytes: 0 or more;
   * 100 if absent.
   */
  readonly maxInlineFileSizeKb?: number
  /** How bodies are parsed, and items formatted over HTTP; the contract's own dialect if absent. */
  readonly dialect?: Dialect
  /** Limits; each has a default. */
  readonly limits?: Partial<Limits>
  /**
   * Rejects with InvalidInputError (400) what would silently do nothing: members and attributes
   * that the service does not know, and `generate: true` beside a value that stays. Published
   * clients send unknown attributes, which the contract ignores; false if absent.
   */
  readonly strict?: boolean
  /**
   * How many archived versions of each item are kept until it is deleted: an integer of 0 or more;
   * 0 if absent. If the number is lowered, the oldest versions are deleted with the next changes of
   * the item.
   */
  readonly history?: { readonly maxVersions: number }
  /**
   * The log in which every call is recorded, successful or rejected: before a change is written, or
   * before the result is returned. A call that cannot be recorded fails. At most 60 rejections of
   * unknown callers are recorded per minute, the others are counted. Nothing is recorded if absent.
   */
  readonly activity?: ActivityLog
  /**
   * The clock; that of the system if absent. Outside the years 0000 to 9999, calls that write fail
   * with StorageUnavailableError (503).
   */
  readonly now?: () => Date
  /** The source of ids and generated values; the platform's cryptographic generator if absent. */
  readonly randomBytes?: RandomBytes
}
