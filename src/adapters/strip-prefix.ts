/** Takes away the prefix that a handler is mounted under, where the framework leaves it in the target. */

/**
 * `url`, a path or an absolute URL with its query, without its first segments: as many as `prefix` has, whatever the
 * names of its parameters and whichever way the client has written them. A `*` at the end is none. The rest is as it
 * came.
 */
export function stripPrefix(url: string, prefix: string): string {
  const depth = prefix.split('/').filter((segment) => segment !== '' && segment !== '*').length
  return url.replace(new RegExp(`^(?:https?://[^/?#]*)?(?:/[^/?#]*){${depth}}`, 'i'), '')
}
