/** Reads the collections of an account: the tags of each item. */

import type { Source } from '../source.js'

/**
 * Returns the tags of each item by its id: the titles of the collections that contain it, below
 * those that contain them, such as `Work/Servers`. A link to an item of another account,
 * or that is not among `itemIds`, is reported.
 */
export function readCollections(
  account: Source,
  itemIds: ReadonlySet<string>,
): Map<string, readonly string[]> {
  const tags = new Map<string, string[]>()
  const accountId = account.text('id')
  const read = (collection: Source, parent: string): void => {
    collection.ignore('id', 'creationAt', 'modifiedAt')
    collection.drop('subtitle', 'attribute', 'the description of a collection is left out')
    const tag = parent + collection.text('title')
    for (const link of collection.objects('items')) {
      const owner = link.text('account')
      const item = link.text('item')
      if (owner !== '' && owner !== accountId)
        link.report('', 'attribute', 'the item belongs to another account')
      else if (!itemIds.has(item))
        link.report('item', 'attribute', 'the item of the collection is not in the export')
      else if (tags.has(item)) tags.get(item)?.push(tag)
      else tags.set(item, [tag])
    }
    // No deeper than the levels of the JSON, which are limited.
    for (const nested of collection.objects('subCollections')) read(nested, `${tag}/`)
  }
  for (const collection of account.objects('collections')) read(collection, '')
  return tags
}
