/** Decides where a value may be sent. */

import { SecretUseError } from '../errors.js'

/** Returns the origins of URLs, such as `https://api.example.com`. Invalid URLs have none. */
export function toOrigins(urls: readonly string[]): readonly string[] {
  return urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin)
}

/**
 * Checks that a value may be sent to an origin. Every use of a value is checked here, wherever the
 * value is stored.
 * @param urls - The URLs that the value belongs to. Only their origins count.
 * @throws SecretUseError (403) if none of them has the origin.
 */
export function assertOrigin(urls: readonly string[], origin: string): void {
  if (!toOrigins(urls).includes(origin))
    throw new SecretUseError('the item has no URL of this origin', { reason: 'ORIGIN' })
}
