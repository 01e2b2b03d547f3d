/** An item without its secret values. */

import type { Field } from './field.js'
import type { Item, ItemUrl } from './item.js'

/** A value that is not shown. */
export interface HiddenValue {
  /** True if the field has a value that is not empty. */
  readonly isSet: boolean
  /**
   * `…` and the last four characters, which are letters or digits. Only a `CONCEALED` field without
   * a purpose has a hint, and only if its value has at least 16 characters.
   */
  readonly hint?: string
}

/** A field without a secret value. */
export interface FieldDescription extends Omit<Field, 'value' | 'entropy'> {
  /**
   * The value itself, if the field has a [type whose values are
   * shown](https://github.com/cofferkit/cofferkit/blob/main/docs/permissions.md#see-that-a-value-is-set),
   * and not the purpose `PASSWORD` or `NOTES`. Not set if such a field has no value. User names and
   * passwords are removed from URLs. The value of a one-time code is hidden.
   */
  readonly value?: string | HiddenValue
}

/**
 * An item without the values that are secret by the types of its fields. A `STRING` field, the
 * title, a tag and the query of a URL are shown unchanged, so they may contain a secret that
 * someone entered there.
 */
export interface ItemDescription extends Omit<Item, 'fields' | 'urls'> {
  /**
   * Without user names and passwords in `href`. There is no `href` if they cannot be found in it
   * for certain, or if it is the URL of a one-time code.
   */
  readonly urls: readonly Partial<ItemUrl>[]
  readonly fields: readonly FieldDescription[]
}
