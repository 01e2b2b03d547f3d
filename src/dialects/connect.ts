/**
 * The connect dialect, for the published clients of the API. It accepts more forms of a body than
 * the contract dialect, and its responses contain what these clients require.
 * @module cofferkit/connect
 */

import type { Field } from '../schema/field.js'
import type { Item } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import { addNotes } from './connect/add-notes.js'
import { normalizePatch } from './connect/normalize.js'
import { parseConnectItem } from './connect/parse-item.js'
import { hasTotpUrl, totpCode } from './connect/totp.js'
import type { Dialect } from './dialect.js'

/** Published clients make no file requests if the version of the server is below 1.3.0. */
const serverVersion = '1.8.1'
/** Maximum number of one-time codes in an item; each costs as much as parsing dozens of fields. */
const maxTotpCodes = 100

/**
 * The connect dialect. Its rules for items are those of the contract dialect.
 *
 * Bodies of requests:
 * - `null` counts as an absent attribute; so do an empty id, an empty type and a recipe length of
 *   0.
 * - Categories, types, purposes, character sets and patch operations can have any case.
 * - An item can omit its vault.
 * - A field can omit its id and its type, can have a type that the contract does not list, and can
 *   refer to a section that the item does not list. A section that a patch removes while a field is
 *   in it stays.
 * - A new login and a new password get an empty field for notes if they have none.
 * - The `href` of a URL can be any text except a `javascript:` or `data:` URL.
 *
 * Filters: `eq` on a title or a name also matches an id.
 *
 * Responses over HTTP:
 * - `replaceItem` returns the version before the change.
 * - The first 100 fields with an `otpauth://` URL of at most 512 characters have their one-time
 *   code in `totp`.
 * - The section of a field is returned with its label.
 * - A login and a password always have a field for notes.
 * - `/health` has the name and the version of the published service.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { connectDialect } from 'cofferkit/connect'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore(), dialect: connectDialect })
 * ```
 */
export const connectDialect: Dialect = {
  name: 'connect',
  parseItem: parseConnectItem,
  parsePatch: (body) => parse(patchSchema, normalizePatch(body)),
  formatItem: formatConnectItem,
  fileIds: 'base32',
  headers: { '1password-connect-version': serverVersion },
  health: { name: '1Password Connect API', version: serverVersion },
  filtersMatchIds: true,
  queryAliases: { inline_content: 'inline_files' },
}

function formatConnectItem(item: Item, operation: string, now: Date): object {
  let codes = 0
  const labels: ReadonlyMap<string, string | undefined> = new Map(
    item.sections.map(({ id, label }) => [id, label]),
  )
  const fields = addNotes(item.category, item.fields).map((field) => {
    const labelled = withSectionLabel(field, labels)
    return hasTotpUrl(field) && codes++ < maxTotpCodes ? withTotpCode(labelled, now) : labelled
  })
  // Published clients add one to the version of a replaced item.
  if (operation === 'replaceItem') return { ...item, version: item.version - 1, fields }
  const isUnchanged = fields.every((field, index) => field === item.fields[index])
  return isUnchanged ? item : { ...item, fields }
}

/** Clients build the keys of values from the label of the section. */
function withSectionLabel(field: Field, labels: ReadonlyMap<string, string | undefined>): Field {
  const { section } = field
  const label = section?.id === undefined ? undefined : labels.get(section.id)
  return label ? Object.assign({}, field, { section: { ...section, label } }) : field
}

function withTotpCode(field: Field, now: Date): Field & { readonly totp?: string } {
  const totp = totpCode(field, now)
  return totp === undefined ? field : { ...field, totp }
}
