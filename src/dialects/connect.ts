/**
 * The dialect that the published clients of the API need: more is read than the contract says, and the answers hold
 * what they look for. The rules of the domain are those of every dialect.
 * @module cofferkit/connect
 */

import type { Field } from '../schema/field.js'
import type { Item } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import { normalizePatch } from './connect/normalize.js'
import { parseConnectItem } from './connect/parse-item.js'
import { hasCodeUrl, totpCode } from './connect/totp.js'
import type { Dialect } from './dialect.js'

/** Published clients refuse to ask for files where the server's version is below 1.3.0. */
const serverVersion = '1.8.1'
/** One-time codes of an item; each costs as much as reading dozens of fields. */
const maxCodes = 100

/**
 * For `createVaultService({ dialect: connectDialect })`.
 *
 * In a body, null stands for an absent attribute, and so do an empty id or type and a recipe's length of 0; the names
 * of categories, types, purposes, character sets and patch operations have any case. An item may leave out its vault. A
 * field may leave out its id and type, have a type of its own, and name a section that the item does not list. A URL's
 * `href` may be any text but a `javascript:` or `data:` URL.
 *
 * Over HTTP, `replaceItem` answers the version before the change, and a field that holds an `otpauth://` URL has its
 * one-time code in `totp`: the first 100 such fields of an item, if the URL has at most 512 characters.
 */
export const connectDialect: Dialect = {
  name: 'connect',
  parseItem: parseConnectItem,
  parsePatch: (body) => parse(patchSchema, normalizePatch(body)),
  formatItem: answerItem,
  fileIds: 'base32',
  headers: { '1password-connect-version': serverVersion },
  queryAliases: { inline_content: 'inline_files' },
}

function answerItem(item: Item, operation: string, now: Date): object {
  let codes = 0
  const fields = item.fields.map((field) =>
    hasCodeUrl(field) && codes++ < maxCodes ? answerField(field, now) : field,
  )
  // Clients add one to the version of a replaced item themselves.
  if (operation === 'replaceItem') return { ...item, version: item.version - 1, fields }
  return fields.every((field, index) => field === item.fields[index]) ? item : { ...item, fields }
}

function answerField(field: Field, now: Date): Field & { readonly totp?: string } {
  const totp = totpCode(field, now)
  return totp === undefined ? field : { ...field, totp }
}
