/** Says what a store contains. */

import { allKinds, type Noun, type StoredKind } from '../../base/stored-records.js'
import { formatCount } from '../command-line.js'

/** What is counted besides the kinds of records. */
const fileNoun: Noun = ['file', 'files']
const tombstoneNoun: Noun = ['deleted id', 'deleted ids']

/** What is counted: a kind of records, the contents of files, or the ids of what was deleted. */
export type Counted = StoredKind | 'file' | 'tombstone'

/** The numbers of what was found. */
export type Counts = Map<Counted, number>

/** Adds to the number of what was found. */
export function addCount(counts: Counts, counted: Counted, added = 1): void {
  counts.set(counted, (counts.get(counted) ?? 0) + added)
}

const order: readonly Counted[] = [
  ...allKinds.flatMap((kind): readonly Counted[] => (kind.keepsBlobs ? [kind, 'file'] : [kind])),
  'tombstone',
]

/** Returns the numbers with their nouns, such as `1 vault, 2 items`, or `nothing`. */
export function formatContents(counts: Counts): string {
  const texts = order.flatMap((counted) => {
    const count = counts.get(counted)
    return count === undefined ? [] : [formatCount(count, ...nounOf(counted))]
  })
  return texts.join(', ') || 'nothing'
}

function nounOf(counted: Counted): Noun {
  if (counted === 'file') return fileNoun
  return counted === 'tombstone' ? tombstoneNoun : counted.noun
}
