/** Recognizes the origin of a URL. */

/** Returns true for an origin as URLs have it, such as `https://api.example.com:8443`. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
