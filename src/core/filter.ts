/** A filter: a condition on the title and the tags of items, or on the name of vaults. */

/** What a filter can ask for. An item's title and a vault's name are the same to it. */
export type FilterAttribute = 'title' | 'tag'

/**
 * One comparison: `eq` is equal, `co` is contains, both to the letter. A `tag` is compared with each tag of the item,
 * and one that fits is enough. What has no title fits no comparison with a title.
 */
export interface FilterTerm {
  readonly op: 'eq' | 'co'
  readonly attribute: FilterAttribute
  readonly value: string
}

/** Several filters of which all (`and`) or at least one (`or`) must hold; two or more. */
export interface FilterList {
  readonly op: 'and' | 'or'
  readonly terms: readonly Filter[]
}

/** A condition that an item or a vault meets or does not. */
export type Filter = FilterTerm | FilterList
