/** Finds secrets in anything that a program returns, throws or logs. */

/** A secret that was found. */
export interface FoundSecret {
  /** Its index in the list of secrets. */
  readonly index: number
  /** The names of the members that lead to it, joined by dots. Empty for the value itself. */
  readonly path: string
}

/**
 * Returns the first place of each secret that the value contains. It searches strings and the names
 * and values of members, including those of errors, maps, sets and bytes.
 */
export function findSecrets(value: unknown, secrets: readonly string[]): readonly FoundSecret[] {
  const searches = secrets.map((secret, index) => ({ index, forms: formsOf(secret) }))
  const found = new Map<number, FoundSecret>()
  const visited = new Set<unknown>()
  const check = (text: string, path: string): void => {
    for (const { index, forms } of searches)
      if (!found.has(index) && forms.some((form) => text.includes(form)))
        found.set(index, { index, path: isSafe(path) ? path : 'a member with a secret name' })
  }
  const isSafe = (path: string): boolean =>
    searches.every(({ forms }) => forms.every((form) => !path.includes(form)))
  const visit = (one: unknown, path: string): void => {
    if (typeof one === 'string') return check(one, path)
    if (typeof one !== 'object' || one === null || visited.has(one)) return
    visited.add(one)
    if (one instanceof Uint8Array) return check(new TextDecoder().decode(one), path)
    if (one instanceof URL) return check(one.href, path)
    const entries: readonly (readonly [unknown, unknown])[] =
      one instanceof Map || one instanceof Set || one instanceof Headers
        ? [...one.entries()]
        : Reflect.ownKeys(one).map((name) => [name, Reflect.get(one, name)])
    for (const [name, member] of entries) {
      const place = [path, typeof name === 'object' ? 'key' : String(name)]
      visit(name, path)
      visit(member, place.filter((part) => part !== '').join('.'))
    }
  }
  visit(value, '')
  return [...found.values()]
}

/** Returns the forms in which a string can contain the secret. */
function formsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
  const unpadded = base64.replace(/={0,2}$/, '')
  const forms = [secret, JSON.stringify(secret).slice(1, -1)]
  // Lone surrogates cannot be encoded for a URL.
  if (secret.isWellFormed()) forms.push(encodeURIComponent(secret))
  // The end of a shorter string in base64 occurs in many others.
  if (secret.length >= 6) forms.push(unpadded, unpadded.replaceAll('+', '-').replaceAll('/', '_'))
  return forms
}
