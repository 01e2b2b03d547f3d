/** Checks absolute URLs and IRIs. */

/**
 * A scheme of two or more characters, and no spaces, backslashes, `<>"{}|^` or backticks. The
 * OpenAPI document contains this pattern, so it must work in every dialect of regular expressions.
 */
export const hrefPattern = /^[A-Za-z][A-Za-z\d+.-]+:[^\s\\<>"{}|^`]*$/

/**
 * Returns true if `href` is an absolute URL or an IRI (RFC 3987). The pattern is checked first,
 * because a URL parser accepts and repairs more than that.
 */
export function isHref(href: string): boolean {
  return hrefPattern.test(href) && !/\p{Cc}/u.test(href) && URL.canParse(href)
}
