/** Builds the URLs of an item. */

import type { ItemUrl, ParsedItem } from '../../schema/item.js'

/** A type without `readonly`, for an object that is being built. */
export type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

/** Called for each broken rule, so that one error can list all of them. */
export type AddIssue = (path: string, message: string) => void

/** Builds the URLs of an item from those of a draft. Broken rules are passed to `addIssue`. */
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

/**
 * Returns true if a browser would run the URL as a script. Most URLs need not be parsed for this.
 */
function isScriptUrl(href: string): boolean {
  if (/^https?:/.test(href) || !URL.canParse(href)) return false
  return /^(?:javascript|data):$/.test(new URL(href).protocol)
}
