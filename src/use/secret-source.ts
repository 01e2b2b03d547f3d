/** Where the secret fetch finds its values: in items, or in the embedder's own table. */

import type { SecretReference } from '../references/secret-reference.js'

/** The request for which a value is used. */
export interface SecretTarget {
  /** The origin of its URL, such as `https://api.example.com`. */
  readonly origin: string
  /** Its method, such as `GET`. */
  readonly method: string
  /**
   * Where the request contains the value, such as `header:authorization`, `query:key` or
   * `body:client_secret`. `sign:aws` if the request does not contain it, but is signed with it by
   * the scheme `aws` of the option `sign`.
   */
  readonly place: string
}

/** A secret that a source has found. */
export interface FoundSecret {
  readonly value: string
  /** The origins to which the value can be sent, such as `https://api.example.com`. */
  readonly origins: readonly string[]
  /**
   * Returns how long the value may still be used, in milliseconds, more than 0. After that time it
   * throws the error that a response in progress fails with. By default the time is unlimited.
   */
  readonly timeLeft?: (() => number) | undefined
  /**
   * Called when an API answers 401 and the option `retryRejected` allows a retry. Resolve when
   * `find` returns a new value, such as a refreshed token. Reject if it will not. By default
   * requests are not retried.
   */
  readonly renew?: (() => Promise<void>) | undefined
}

/** Names an item by the ids or names of its vault and itself. */
export type ItemReference = Pick<SecretReference, 'vault' | 'item'>

/** The values of an item, or of its equivalent in your own source. */
export interface FoundSecrets extends Omit<FoundSecret, 'value' | 'renew'> {
  /** The values by name. The functions of the option `sign` know the names. */
  readonly values: Readonly<Record<string, string>>
}

/** Finds the value of a reference. */
export type FindSecret = (reference: SecretReference, target: SecretTarget) => Promise<FoundSecret>

/**
 * Where secrets are found. Only `find` is required. If one of the functions throws an error of this
 * library, the call rejects with that error. For any other error, it rejects with a RuleError that
 * names the function but does not repeat its message.
 */
export interface SecretSource {
  /**
   * Returns the value of a reference with its origins. Read both at once, so that a value is never
   * sent to an origin of an earlier or later version. The library compares the origins. To refuse a
   * reference, reject. If it does not exist, reject with a NotFoundError.
   */
  readonly find: FindSecret
  /**
   * Returns all values of an item with its origins, in one read, to sign a request. If your source
   * has no such function, the header `x-cofferkit-sign` is refused.
   * @param next - Asks the option `allow`. Call it before you read the values. If it rejects, the
   * use is refused, and you must throw that error again.
   */
  findAll?(
    reference: ItemReference,
    target: SecretTarget,
    next: () => Promise<void>,
  ): Promise<FoundSecrets>
  /**
   * Called for each reference of a request, and again for each redirect. Reject to refuse the use.
   * Otherwise call `next`, which asks the option `allow`, finds the value and compares the origins.
   * If `next` rejects, the use is refused, and you must throw that error again. If you pass a
   * function to `next`, it is called instead of `find`. The request is sent when `aroundUse` has
   * resolved.
   */
  aroundUse?(
    reference: SecretReference,
    target: SecretTarget,
    next: (find?: FindSecret) => Promise<void>,
  ): Promise<void>
}
