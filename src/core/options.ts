/** The options of a vault service. */

import type { Dialect } from '../dialects/dialect.js'
import type { ActivityUnavailableError, DecryptionError } from '../errors.js'
import type { Item } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'
import type { VaultStore } from '../store.js'
import type { Caller } from './access/caller.js'
import type { AroundCall, Next } from './operation/around.js'
import type { ActivityLog } from './runtime/activity-log.js'
import type { Limits } from './runtime/limits.js'
import type { RetryOptions } from './runtime/optimistic-retry.js'
import type { RandomBytes } from './runtime/random.js'

/** Options of `createVaultService`. */
export interface VaultServiceOptions {
  /** The store of all vaults, items and files. */
  readonly store: VaultStore
  /**
   * Milliseconds after which a call of the store that has not settled fails with
   * StorageUnavailableError (503): 1 or more, Infinity for no timeout; 30,000 by default. Each
   * read of a blob counts as a call, and so does each time that the store keeps an upload waiting.
   * Time in which the client is waited for does not count. A change that has waited more than twice
   * as long for earlier changes of its record fails with the same error, and is not made.
   */
  readonly storeTimeoutMs?: number
  /**
   * The size up to which the content of a file is returned inline, in KB of 1,024 bytes: a whole
   * number of 0 or more; 100 if absent.
   */
  readonly maxInlineFileSizeKb?: number
  /**
   * How often a change is retried if a concurrent writer of another process prevented it: at most
   * 32 attempts, and at most 2 s after the first one, if absent. A change that never wins is a
   * ConflictError (409).
   */
  readonly retry?: RetryOptions
  /** How bodies are parsed, and items formatted over HTTP; the contract's own dialect if absent. */
  readonly dialect?: Dialect
  /**
   * Called by `createVault` with a vault that gets a random id and with its creator, after all
   * checks and before the vault is stored. Give the creator rights to the vault here, in your own
   * database: when the vault appears, they have them. If it throws, rejects or takes longer than
   * `storeTimeoutMs`, no vault is stored. The call rejects with its error if that is one of this
   * library, such as a ForbiddenError for a quota, and with a RuleError (500) if not. The vault can
   * also fail to be stored afterwards. Rights to it then refer to an id that no vault ever has.
   *
   * Not called if the creator chose the id of the vault: they have rights to it already.
   */
  beforeCreateVault?(vault: Vault, creator: Caller): void | Promise<void>
  /**
   * Called instead of each call of a known caller, in process and over HTTP, after the login and
   * before every other check. It makes the call by `next`, which resolves when the call has
   * succeeded and rejects with its error; calling it again does not repeat the call. To refuse a
   * call, throw an error of this library instead, such as a TooManyRequestsError (429) or
   * `ForbiddenError.because` (403). Any other error that it throws is a RuleError (500), and so is
   * neither calling `next` nor throwing. It has `storeTimeoutMs` until it calls `next`, and again
   * after the call; if it takes longer, the call rejects with StorageUnavailableError (503).
   *
   * Results are not passed to it: they are secrets. After an error that it throws once `next` has
   * resolved, the call rejects, but its change was made. If it throws while the call is still being
   * made, the call rejects when that has ended.
   * @example
   * async around({ operation, caller }, next) {
   *   if (!limiter.take(caller.id)) throw new TooManyRequestsError('slow down', { retryAfterSeconds: 1 })
   *   await next()
   *   count(operation)
   * }
   */
  around?(call: AroundCall, next: Next): void | Promise<void>
  /**
   * A rule of your own for every item that is about to be stored: by `createItem`, `replaceItem`,
   * `patchItem` and every other operation that writes an item, after all checks of the library.
   * Throw an error of this library to reject the change, such as an InvalidInputError (400) or
   * `ForbiddenError.because` (403). Any other error, and a result other than undefined, such as the
   * promise of an asynchronous function, becomes a RuleError (500). Nothing is stored then.
   *
   * It is called again, with a newer `before`, if a concurrent writer prevents the change, so it
   * must have no effects. Items that were stored before the rule existed are only checked when
   * they change; `deleteItem` calls no rule.
   * @param item The item as it would be stored. It is a copy.
   * @param change `before`: the stored item that it replaces, undefined if it is new; `caller`: the
   * caller of the operation.
   * @example
   * validateItem(item) {
   *   if (item.tags.length === 0) throw InvalidInputError.at('tags', 'must name the environment')
   * }
   */
  validateItem?(
    item: Item,
    change: { readonly before: Item | undefined; readonly caller: Caller },
  ): void
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
   * The log in which every call is recorded, successful or rejected: a change before it is written
   * and again after it, anything else before the result is returned. A call that cannot be recorded
   * fails. At most 60 rejections of unknown callers are recorded per minute, the others are counted.
   * Use a log of
   * `cofferkit/activity`, or its `createActivityLog` with a storage of your own; nothing is
   * recorded if absent.
   */
  readonly activity?: ActivityLog
  /**
   * Called with errors that no call rejects with. Errors that it throws are ignored. By default, the
   * message is printed by `console.error`. The errors are:
   * - a DecryptionError for each unreadable record that a call leaves out of its result, such as an
   *   item of `listItems`: at most once a minute for each record, and for at most 1,000 records a
   *   minute. The option `onUnreadable` of a call receives those of that call;
   * - an ActivityUnavailableError for each change whose outcome could not be recorded. It was made or
   *   has failed as its call says, and its entry in the activity log stays `PENDING`. The message has
   *   the `requestId` of the entry.
   */
  onError?(error: DecryptionError | ActivityUnavailableError): void
  /**
   * The clock; that of the system if absent. Outside the years 0000 to 9999, calls that write fail
   * with StorageUnavailableError (503).
   */
  readonly now?: () => Date
  /** The source of ids and generated values; the platform's cryptographic generator if absent. */
  readonly randomBytes?: RandomBytes
}
