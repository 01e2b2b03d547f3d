/** The headers of responses, for the cases that check them. */

/** The headers of every response except its type (docs/mounting.md). */
export const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}
