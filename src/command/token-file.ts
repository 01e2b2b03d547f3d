/** The file of the tokens that `serve` accepts. It contains digests, and no token. */

import { createTokenAuthenticator, type StaticToken } from '../auth/tokens.js'
import { isObject } from '../base/is-object.js'
import { CommandError } from './command-error.js'
import { isTime } from './parse-time.js'
import { parseUserJson } from './read-user-file.js'

/** An entry of the file. */
export interface TokenEntry {
  /** The caller's id, unique in the file: 1 to 100 letters, digits and `. _ - @ : +`. */
  readonly id: string
  /** The SHA-256 of the token, 64 hexadecimal digits. */
  readonly sha256: string
  /** The permissions by vault id, or `*` for every vault. */
  readonly vaults: Readonly<Record<string, 'read' | 'write' | 'read-write'>> | '*'
  /** When the token expires: RFC 3339. By default it does not expire. */
  readonly expiresAt?: string
  /** True if the caller can create vaults with random ids. Default: false. */
  readonly createVaults?: boolean
}

const entryNames = ['id', 'sha256', 'vaults', 'expiresAt', 'createVaults']
const permissions = new Set<unknown>(['read', 'write', 'read-write'])
const idPattern = /^[\w.@:+-]{1,100}$/

/** The rule for ids of tokens, as the end of a sentence. */
export const idRule = 'must be 1 to 100 letters, digits and . _ - @ : +'

/** Returns true if a token can have this id. */
export function isTokenId(id: unknown): id is string {
  return typeof id === 'string' && idPattern.test(id) && id !== '-'
}

/**
 * Parses the content of a token file.
 * @param path - The name of the file, for errors.
 * @throws CommandError that names the file and the place in it. No message contains a value.
 */
export function parseTokenFile(text: string, path: string): readonly TokenEntry[] {
  const wrong = (problem: string): CommandError => new CommandError(`${path}: ${problem}`)
  const value = parseUserJson(text, path)
  if (!isObject(value) || !Array.isArray(value['tokens']))
    throw wrong('must be { "tokens": [...] }')
  if (Object.keys(value).length > 1) throw wrong('must have no member but tokens')
  const tokens: readonly unknown[] = value['tokens']
  const ids = new Set<string>()
  for (const [index, token] of tokens.entries()) {
    const at = `tokens[${index}]`
    if (!isObject(token)) throw wrong(`${at} must be an object`)
    if (!Object.keys(token).every((name) => entryNames.includes(name)))
      throw wrong(`${at} must have no members but ${entryNames.join(', ')}`)
    const { id, sha256, vaults, expiresAt } = token
    if (!isTokenId(id)) throw wrong(`${at}.id ${idRule}`)
    if (ids.has(id)) throw wrong(`${at}.id must not be the id of another token`)
    ids.add(id)
    if (typeof sha256 !== 'string' || !/^[\da-f]{64}$/i.test(sha256))
      throw wrong(`${at}.sha256 must be 64 hexadecimal digits: create one with npx cofferkit token`)
    if (isObject(vaults) && !Object.values(vaults).every((one) => permissions.has(one)))
      throw wrong(`each of ${at}.vaults must be read, write or read-write`)
    if (expiresAt !== undefined && !isTime(expiresAt))
      throw wrong(`${at}.expiresAt must be a time such as 2027-01-31T09:00:00Z`)
  }
  const entries = tokens as readonly TokenEntry[]
  try {
    createTokenAuthenticator({ tokens: entries.map(toStaticToken) })
  } catch (error) {
    // Messages about invalid options contain no values.
    throw wrong(Object(error).message.replace(/\boptions\./, ''))
  }
  return entries
}

/** Returns the token in the form of `createTokenAuthenticator`. */
export function toStaticToken({ expiresAt, ...token }: TokenEntry): StaticToken {
  return { ...token, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) }
}

/** Returns the content of a token file with these entries. */
export function formatTokenFile(entries: readonly TokenEntry[]): string {
  return `${JSON.stringify({ tokens: entries }, undefined, 2)}\n`
}
