/** An item without what is secret in it. */

import type { Field } from './field.js'
import type { Item, ItemUrl } from './item.js'

/** A value that is not shown. */
export interface HiddenValue {
  /** True if the field has a value that is not empty. */
  readonly isSet: boolean
  /**
   * `…` and the last four characters, which are letters or digits. Only of a `CONCEALED` field
   * without a purpose, whose value has at least 16 characters.
   */
  readonly hint?: string
}

/** A field without a secret value. */
export interface FieldDescription extends Omit<Field, 'value' | 'entropy'> {
  /**
   * The value itself only of a field of a [type whose values are
   * shown](https://github.com/cofferkit/cofferkit/blob/main/docs/multi-tenant.md#a-permission-below-reading),
   * without the purpose `PASSWORD` or `NOTES`; absent if such a field has none. A URL has no user
   * name and no password. The value of a one-time code is hidden.
   */
  readonly value?: string | HiddenValue
}

/**
 * An item without what is secret by the types of its fields. A `STRING` field, the title, a tag and
 * the query of a URL are shown unchanged: they can still contain a secret that was entered there.
 */
export interface ItemDescription extends Omit<Item, 'fields' | 'urls'> {
  /**
   * Without user names and passwords in `href`. `href` is absent if they cannot be told from the
   * rest of it, or if it is the URL of a one-time code.
   */
  readonly urls: readonly Partial<ItemUrl>[]
  readonly fields: readonly FieldDescription[]
}
