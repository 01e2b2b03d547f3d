/** Builds the URLs of an item. */

import type { ItemUrl, ParsedItem } from '../../schema/item.js'

/** A type without `readonly`, for an object that is being built. */
export type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
/** Reports a broken rule, so that all of them can be returned at once. */
export type AddIssue = (path: string, message: string) => void

/** Builds the URLs of an item from those of a draft; broken rules are reported by `addIssue`. */
export function buildUrls(
  drafts: NonNullable<ParsedItem['urls']>,
  addIssue: AddIssue,
): readonly ItemUrl[] {
  let hasPrimary = false
  return drafts.map(({ href, label, primary }, index) => {
    if (isScriptUrl(href)) addIssue(`urls/${index}/href`, 'must not be a javascript: or data: URL')
    if (primary && hasPrimary) addIssue(`urls/${index}/primary`, 'must be true for one URL only')
    hasPrimary ||= primary === true
    const url: Writable<ItemUrl> = { href }
    if (label !== undefined) url.label = label
    if (primary !== undefined) url.primary = primary
    return url
  })
}

/** Whether a browser would run the URL. Most URLs need not be parsed to know. */
function isScriptUrl(href: string): boolean {
  if (/^https?:/.test(href) || !URL.canParse(href)) return false
  return /^(?:javascript|data):$/.test(new URL(href).protocol)
}
