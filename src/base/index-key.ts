/** The index keys of records, by which a store finds the items with a title and the vaults with a name. */

import { foldCase } from './fold-case.js'

/** The maximum length of an index key, in UTF-16 code units. */
const maxIndexKeyLength = 128

/**
 * Returns the index key of a record with this title or name: the start of its folded text, cut
 * between code points. Titles that are equal after `foldCase` have the same index key. So do titles
 * that are equal up to the cut, so titles must still be compared in full.
 */
export function indexKeyOf(title: string): string {
  // No character becomes shorter, so the end of the title is not part of the key.
  const start = foldCase(title.slice(0, maxIndexKeyLength)).slice(0, maxIndexKeyLength)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
