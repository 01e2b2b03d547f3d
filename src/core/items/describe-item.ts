/** Describes an item without its secret values. */

import { hintOf } from '../../base/hint.js'
import { type Field, findFieldTypeRules } from '../../schema/field.js'
import type { Item, ItemUrl } from '../../schema/item.js'
import type {
  FieldDescription,
  HiddenValue,
  ItemDescription,
} from '../../schema/item-description.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'

/** Input of `describeItem`. */
export interface DescribeItemInput {
  readonly vaultId: string
  readonly itemId: string
}

/** Returns an item with only those values that are not secret by the types of their fields. */
export const describeItem = defineOperation({
  name: 'describeItem',
  summary: 'Returns an item without what is secret in it',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  async run({ context }, ref): Promise<ItemDescription> {
    return toDescription((await loadItem(context, ref)).item)
  },
})

/** Returns the item without its secret values. */
export function toDescription(item: Item): ItemDescription {
  return { ...item, urls: item.urls.map(describeUrl), fields: item.fields.map(describeField) }
}

function describeUrl({ href, ...url }: ItemUrl): Partial<ItemUrl> {
  const shown = isOneTimeCode(href) ? undefined : withoutUserInfo(href)
  return shown === undefined ? url : { href: shown, ...url }
}

function describeField(field: Field): FieldDescription {
  const { value, entropy: _, ...description } = field
  const shown = shownValue(field)
  if (shown === undefined) return { ...description, value: hideValue(field) }
  return value === undefined ? description : { ...description, value: shown }
}

/** Returns the value as it is shown, or undefined if it is hidden. */
function shownValue({ type, purpose, value = '' }: Field): string | undefined {
  // Values of unknown types are hidden.
  const isShown = findFieldTypeRules(type)?.isShown ?? false
  if (!isShown || purpose === 'PASSWORD' || purpose === 'NOTES') return undefined
  if (isOneTimeCode(value)) return undefined
  return type === 'URL' ? withoutUserInfo(value) : value
}

function isOneTimeCode(text: string): boolean {
  return /^\s*otpauth(?:-migration)?:/i.test(text)
}

function hideValue({ type, purpose, value = '' }: Field): HiddenValue {
  const isSet = value !== ''
  const hint = type === 'CONCEALED' && !purpose ? hintOf(value) : undefined
  return hint === undefined ? { isSet } : { isSet, hint }
}

/**
 * Returns a URL without its user name and password, or undefined if they cannot be told from the
 * rest. A user name or password always ends with `@`, so a string without it is returned unchanged.
 */
function withoutUserInfo(text: string): string | undefined {
  if (!text.includes('@')) return text
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username === '' && url.password === '') return text
  url.username = ''
  url.password = ''
  return url.href
}
