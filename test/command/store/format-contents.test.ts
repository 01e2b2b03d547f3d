import { describe, expect, it } from 'vitest'
import {
  activityRecords,
  copyRecords,
  itemRecords,
  leaseRecords,
  vaultRecords,
} from '../../../src/base/stored-records.js'
import {
  addCount,
  type Counts,
  formatContents,
} from '../../../src/command/store/format-contents.js'

describe('formatContents', () => {
  it('names what was counted, in the order of the kinds, and not in that of the counting', () => {
    const counts: Counts = new Map()
    addCount(counts, 'tombstone')
    addCount(counts, leaseRecords)
    addCount(counts, activityRecords, 2)
    addCount(counts, copyRecords)
    addCount(counts, 'file')
    addCount(counts, itemRecords, 2)
    addCount(counts, itemRecords)
    addCount(counts, vaultRecords)
    expect(formatContents(counts)).toBe(
      '1 vault, 3 items, 1 file, 2 log entries, 1 lease, 1 unfinished copy, 1 deleted id',
    )
  })

  it('says that there is nothing', () => {
    expect(formatContents(new Map())).toBe('nothing')
  })
})
