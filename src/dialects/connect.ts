/**
 * The connect dialect, for the published clients of 1Password Connect. It accepts more kinds of
 * bodies than the contract dialect, and its responses contain what these clients require.
 * @module cofferkit/connect
 */

import { oneOf } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import type { Field, StoredFieldType } from '../schema/field.js'
import type { Item } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import { patchSchema } from '../schema/patch.js'
import { addNotes } from './connect/add-notes.js'
import { normalizePatch } from './connect/normalize.js'
import { parseConnectItem } from './connect/parse-item.js'
import { hasTotpUrl, isTotpType, totpCode } from './connect/totp.js'
import type { Dialect } from './dialect.js'

/** Published clients make no file requests if the version of the server is below 1.3.0. */
const serverVersion = '1.8.1'
/**
 * The maximum number of one-time codes in an item. Each costs as much as parsing dozens of fields.
 */
const maxTotpCodes = 100

/** Options of {@link createConnectDialect}. */
export interface ConnectDialectOptions {
  /**
   * The type of fields with one-time codes in HTTP responses. Default: `OTP`, which the published
   * JavaScript client looks for. Choose `TOTP` for clients that are generated from the published
   * OpenAPI document, because that document knows only `TOTP`.
   */
  readonly otpType?: 'OTP' | 'TOTP' | undefined
}

const dialectOptions = defineOptions({
  otpType: optional(oneOf('OTP', 'TOTP'), 'OTP'),
} satisfies OptionKinds<ConnectDialectOptions>)

/**
 * The connect dialect, with the default options. Its rules for items are the same as those of the
 * contract dialect.
 *
 * Bodies of requests:
 * - An attribute counts as left out if it is `null`. So do an empty id, an empty type and a recipe
 *   length of 0.
 * - Categories, types, purposes, character sets and patch operations can have any case.
 * - An item can omit its vault.
 * - A field can omit its id and its type, can have a type that the contract does not list, and can
 *   refer to a section that the item does not list. If a patch removes a section that still has a
 *   field, the section stays.
 * - `OTP` and `TOTP` are two names of one type. A field that is stored with one of them keeps it
 *   even if a body has the other.
 * - A new login and a new password get an empty field for notes if they have none.
 * - The `href` of a URL can be any string except a `javascript:` or `data:` URL.
 *
 * Responses over HTTP:
 * - `replaceItem` returns the version before the change.
 * - A field of type `OTP` or `TOTP` whose value is an `otpauth:` URL of at most 512 characters has
 *   the type `OTP`. The first 100 of them have their one-time code in `totp`.
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
export const connectDialect: Dialect = createConnectDialect()

/**
 * Returns the connect dialect with options. `connectDialect` has the defaults.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createConnectDialect } from 'cofferkit/connect'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const dialect = createConnectDialect({ otpType: 'TOTP' })
 * const service = createVaultService({ store: createMemoryStore(), dialect })
 * ```
 */
export function createConnectDialect(options: ConnectDialectOptions = {}): Dialect {
  const { otpType } = dialectOptions.read(options)
  return {
    name: 'connect',
    parseItem: parseConnectItem,
    parsePatch: (body) => parse(patchSchema, normalizePatch(body)),
    resolveFieldType,
    formatItem: (item, operation, now) => formatConnectItem(item, operation, now, otpType),
    fileIds: 'base32',
    headers: { '1password-connect-version': serverVersion },
    health: { name: '1Password Connect API', version: serverVersion },
    queryAliases: { inline_content: 'inline_files' },
  }
}

/** The type of a one-time code has two names. A field keeps the name with which it is stored. */
function resolveFieldType(type: StoredFieldType, stored: StoredFieldType): StoredFieldType {
  return isTotpType(type) && isTotpType(stored) ? stored : type
}

function formatConnectItem(item: Item, operation: string, now: Date, otpType: string): object {
  let codes = 0
  const labels: ReadonlyMap<string, string | undefined> = new Map(
    item.sections.map(({ id, label }) => [id, label]),
  )
  const fields = addNotes(item.category, item.fields).map((field) => {
    const labelled = withSectionLabel(field, labels)
    if (!hasTotpUrl(field)) return labelled
    const totp = codes++ < maxTotpCodes ? totpCode(field, now) : undefined
    return { ...labelled, type: otpType, ...(totp !== undefined && { totp }) }
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
