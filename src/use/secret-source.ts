/** Where the secret fetch finds its values: in items, or in a table of the embedder's. */

import type { SecretReference } from '../references/secret-reference.js'

/** The use of a value: the request that it is sent with, or a signature that it verifies. */
export type SecretTarget = RequestTarget | VerificationTarget

/** The request for which a value is used. */
export interface RequestTarget {
  /** The origin of its URL, such as `https://api.example.com`. */
  readonly origin: string
  /** Its method, such as `GET`. */
  readonly method: string
  /**
   * Where the value is in it: `header:authorization`, `query:key`, `body:client_secret`; `sign:aws`
   * if it is not in it, but signs it by the scheme `aws` of the option `sign`.
   */
  readonly place: string
}

/** A signature that `verifySignature` verifies. The value is sent nowhere. */
export interface VerificationTarget {
  readonly origin?: undefined
  readonly method?: undefined
  /** `verify:` and the scheme, such as `verify:stripe`, or `verify:hmac` for any other. */
  readonly place: string
}

/** A secret that a source has found. */
export interface FoundSecret {
  readonly value: string
  /** The origins to which the value can be sent, such as `https://api.example.com`. */
  readonly origins: readonly string[]
  /**
   * Returns the milliseconds that the value may still be used, more than 0. After that, it throws the
   * error with which a response that has begun ends. By default, a use has no end.
   */
  readonly timeLeft?: (() => number) | undefined
  /**
   * Called when an API has answered 401, if the option `retryRejected` allows another attempt. It
   * resolves when `find` returns another value, such as a token that was refreshed, and rejects if it
   * will not. By default, there is no other attempt.
   */
  readonly renew?: (() => Promise<void>) | undefined
}

/** Names an item: the ids or the names of a vault and an item in it. */
export type ItemReference = Pick<SecretReference, 'vault' | 'item'>

/** The values of an item, or what stands for one in a source of yours. */
export interface FoundSecrets extends Omit<FoundSecret, 'value' | 'renew'> {
  /** The values by names, which the functions of the option `sign` know. */
  readonly values: Readonly<Record<string, string>>
}

/** Finds the value of a reference. */
export type FindSecret = (reference: SecretReference, target: SecretTarget) => Promise<FoundSecret>

/**
 * Where secrets are. `find` is enough. If one of the functions fails, the call rejects with a
 * RuleError that names it and has no text of its error, unless that is an error of this library.
 */
export interface SecretSource {
  /**
   * Returns the value of a reference with its origins, in one read, so that a value is never sent to
   * an origin of an earlier or later version. The library compares the origins. To refuse a
   * reference, reject: with a NotFoundError if it does not exist.
   */
  readonly find: FindSecret
  /**
   * Returns all values of an item with its origins, in one read, to sign a request. Without it, the
   * header `x-cofferkit-sign` is refused.
   * @param next - Asks the option `allow`. Call it before the values are read. It rejects if the use
   * is refused, and that error must be thrown again.
   */
  findAll?(
    reference: ItemReference,
    target: RequestTarget,
    next: () => Promise<void>,
  ): Promise<FoundSecrets>
  /**
   * Called for each reference of a request, and again for each redirect, and for each signature that
   * is verified. It rejects to refuse the use, and calls `next` otherwise, which asks the option
   * `allow`, finds the value and compares the origins. The request is sent when this has resolved. `next` rejects if the use is refused,
   * and that error must be thrown again. If `next` is given a function, that is called instead of
   * `find`.
   */
  aroundUse?(
    reference: SecretReference,
    target: SecretTarget,
    next: (find?: FindSecret) => Promise<void>,
  ): Promise<void>
}
