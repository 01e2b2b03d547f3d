/** The options of a vault service. */

import type { Dialect } from '../dialects/dialect.js'
import type { ActivityUnavailableError, DecryptionError } from '../errors.js'
import type { Item } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'
import type { VaultStore } from '../store.js'
import type { KnownCaller } from './access/caller.js'
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
   * How long a call to the store may take before it fails with StorageUnavailableError (503), in
   * milliseconds: 1 or more, or Infinity for no timeout. Each read of a blob counts as a call. So
   * does each time that the store keeps an upload waiting. Waiting for the client does not count. A
   * change that waits more than twice as long for earlier changes of its record fails with the same
   * error, and is not made. Default: 30,000.
   */
  readonly storeTimeoutMs?: number | undefined
  /**
   * The size up to which the content of a file is returned inline, in KB of 1,024 bytes: an integer
   * of 0 or more. Default: 100.
   */
  readonly maxInlineFileSizeKb?: number | undefined
  /**
   * How often a change is retried if another process has changed the record first. A change that
   * never wins fails with ConflictError (409). Default: at most 32 attempts, within 2 s after the
   * first one.
   */
  readonly retry?: RetryOptions | undefined
  /** How bodies are parsed, and items formatted over HTTP. Default: the contract's own dialect. */
  readonly dialect?: Dialect | undefined
  /**
   * Called by `createVault` with a new vault that has a random id, and with its creator, after all
   * checks and before the vault is stored. Use it to give the creator rights to the vault in your
   * own database, so that they have them when the vault appears.
   *
   * If it throws, rejects or takes longer than `storeTimeoutMs`, no vault is stored. The call
   * rejects with its error if that is an error of this library, such as a ForbiddenError for a
   * quota, and otherwise with a RuleError (500). Storing the vault can still fail afterwards. The
   * rights then refer to an id that no vault will ever have. It is not called if the creator chose
   * the vault's id, because they already have rights to it.
   */
  readonly beforeCreateVault?:
    | ((vault: Vault, creator: KnownCaller) => void | Promise<void>)
    | undefined
  /**
   * Wraps each call of a known caller, in process and over HTTP, after the login and before every
   * other check. Call `next` to make the call. `next` resolves when the call has succeeded, and
   * rejects with its error. Calling it again does not repeat the call. To refuse a call, throw an
   * error of this library instead, such as a TooManyRequestsError (429) or ForbiddenError
   * (403). If it throws any other error, or neither throws nor calls `next`, the call fails with
   * RuleError (500). It may take `storeTimeoutMs` until it calls `next`, and again after the call.
   * If it takes longer, the call rejects with StorageUnavailableError (503).
   *
   * Results are not passed to it, because they are secrets. If it throws after `next` has resolved,
   * the call rejects, but its change was made. If it throws while the call is in progress, the call
   * rejects when it has ended.
   * @example
   * const service = createVaultService({
   *   store,
   *   async around({ operation, caller }, next) {
   *     if (!limiter.take(caller.id)) throw new TooManyRequestsError('slow down', { retryAfterSeconds: 1 })
   *     await next()
   *     count(operation)
   *   },
   * })
   */
  readonly around?: ((call: AroundCall, next: Next) => void | Promise<void>) | undefined
  /**
   * Your own rule for items. It is called for every item that is about to be stored, by any
   * operation, after all checks of the library. To reject the change, throw an error of this
   * library, such as an InvalidInputError (400) or ForbiddenError (403). If it throws any
   * other error or returns anything, such as the promise of an async function, the call fails with
   * RuleError (500). In all these cases nothing is stored.
   *
   * It must have no side effects, because it is called again with a newer `before` if a concurrent
   * writer wins. Items that were stored before the rule existed are checked only when they change.
   * `deleteItem` calls no rule.
   * @param item The item as it would be stored. It is a copy.
   * @param change `before` is the stored item that it replaces, or undefined if the item is new.
   * `caller` is the caller of the operation. `now` is the time by the clock of the service.
   * @example
   * const service = createVaultService({
   *   store,
   *   validateItem(item) {
   *     if (item.tags.length === 0) throw InvalidInputError.at('tags', 'must name the environment')
   *   },
   * })
   */
  readonly validateItem?:
    | ((
        item: Item,
        change: {
          readonly before: Item | undefined
          readonly caller: KnownCaller
          readonly now: Date
        },
        // biome-ignore lint/suspicious/noConfusingVoidType: `| undefined` refuses an async function.
      ) => void | undefined)
    | undefined
  /** Limits. Each has a default. */
  readonly limits?: Limits | undefined
  /**
   * If true, the body of an item or of a request that would silently do nothing is rejected with
   * InvalidInputError (400): unknown attributes, and `generate: true` for a field that keeps its
   * value. Published clients send unknown attributes, which the contract ignores. Other unknown
   * members of a call in process are always rejected. Default: false.
   */
  readonly strict?: boolean | undefined
  /**
   * How many archived versions of each item are kept until it is deleted: an integer of 0 or more.
   * If you lower it, the oldest versions are deleted with the next changes of the item. Default: 0.
   */
  readonly history?: { readonly maxVersions: number } | undefined
  /**
   * The log that records every call, successful or rejected. A change is recorded before and after
   * it is written, any other call before its result is returned. A call that cannot be recorded
   * fails. At most 60 rejections of unknown callers are recorded per minute, and the others are
   * counted. Use a log from `cofferkit/activity`, or its `createActivityLog` with your own storage.
   * By default nothing is recorded.
   */
  readonly activity?: ActivityLog | undefined
  /**
   * Called with errors that no call rejects with. Errors that it throws are ignored. By default the
   * message is printed with `console.error`. The errors are
   * - a DecryptionError for each unreadable record that a call leaves out of its result, such as an
   *   item of `listItems`: at most once a minute for each record, and for at most 1,000 records a
   *   minute. The option `onUnreadable` of a call receives those of that call
   * - an ActivityUnavailableError for each change whose outcome could not be recorded. The call
   *   itself tells whether the change was made, and its entry in the activity log stays `PENDING`.
   *   The message contains the `requestId` of the entry
   */
  readonly onError?: ((error: DecryptionError | ActivityUnavailableError) => void) | undefined
  /**
   * The clock. Outside the years 0000 to 9999, calls that write fail with StorageUnavailableError
   * (503). Default: the system's clock.
   */
  readonly now?: (() => Date) | undefined
  /** The source of ids and generated values. Default: the platform's cryptographic generator. */
  readonly randomBytes?: RandomBytes | undefined
}
