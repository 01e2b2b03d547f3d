/** Strips the prefix of a mount, for frameworks that leave it in the target. */

/**
 * Returns `url` without as many of its first segments as `prefix` has. Segments are counted, not
 * compared, because `prefix` can have parameters and the client can escape characters. A `*` at the
 * end of `prefix` does not count. The rest of `url` is returned unchanged.
 *
 * @param url a path or an absolute URL, each with its query
 */
export function stripPrefix(url: string, prefix: string): string {
  const depth = prefix.split('/').filter((segment) => segment !== '' && segment !== '*').length
  return url.replace(new RegExp(`^(?:https?://[^/?#]*)?(?:/[^/?#]*){${depth}}`, 'i'), '')
}
