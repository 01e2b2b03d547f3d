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

/** Names one value. Each name can be an id. */
export interface ValueReference extends SecretReference {
  readonly all?: undefined
}

/** Names all values of an item, or of its equivalent in your own source, to sign a request. */
export interface ItemReference extends Pick<SecretReference, 'vault' | 'item'> {
  readonly all: true
}

/** The value of a {@link ValueReference}. */
export interface FoundSecret {
  readonly value: string
  /** The origins to which the secret can be sent, such as `https://api.example.com`. */
  readonly origins: readonly string[]
  /**
   * Returns how long the secret may still be used, in milliseconds, more than 0. After that time it
   * throws the error that a response in progress fails with. By default the time is unlimited.
   */
  readonly timeLeft?: (() => number) | undefined
  /**
   * Called when an API answers 401 and the option `retryRejected` allows a retry. Resolve when the
   * source reads a new value, such as a refreshed token. Reject if it will not. By default requests
   * are not retried.
   */
  readonly renew?: (() => Promise<void>) | undefined
}

/** The values of an {@link ItemReference}. */
export interface FoundSecrets extends Pick<FoundSecret, 'origins' | 'timeLeft'> {
  /** The values by name. The functions of the option `sign` know the names. */
  readonly values: Readonly<Record<string, string>>
}

/**
 * Returns the value of a reference with its origins, or all values if the reference has `all`. Read
 * both at once, so that a value is never sent to an origin of an earlier or later version. If there
 * is no such value, reject with a NotFoundError.
 */
export type ReadSecret = () => Promise<FoundSecret | FoundSecrets>

/**
 * Where secrets are found. It is called for each reference of a request, and again for each
 * redirect. To refuse the use, reject. Otherwise call `next`, once, with a function that reads the
 * secret. The library compares the origins.
 *
 * If the source throws an error of this library, the call rejects with that error. For any other
 * error, it rejects with a RuleError that does not repeat its message.
 * @param target - The request.
 * @param next - Asks the option `allow`, reads the secret, and checks it. It sends nothing. If it
 * rejects, the use is refused, and you must throw that error again. The request is sent when the
 * source has resolved, so record the use before that.
 * @example
 * import type { SecretSource } from 'cofferkit/use'
 *
 * const secrets: SecretSource = ({ item }, _target, next) =>
 *   next(async () => {
 *     const { token, origin } = await findRow(item)
 *     return { value: token, origins: [origin] }
 *   })
 */
export type SecretSource = (
  reference: ValueReference | ItemReference,
  target: SecretTarget,
  next: (read: ReadSecret) => Promise<void>,
) => Promise<void>
