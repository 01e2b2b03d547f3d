import { describe, expect, it } from 'vitest'
import { readKeyFileTrace } from '../../tools/reliability/sync/watch-key-file.js'
import { readTrace } from '../../tools/reliability/sync/watch-syncs.js'

const log = '/tmp/v.db-wal'
const written = (record: number): string =>
  `pwrite64(9<${log}>, "\\0\\1(record ${record})\\2", 4096, 56) = 4096`
const printed = (record: number): string =>
  `write(1<pipe:[1]>, "(acknowledged ${record})\\n", 18) = 18`
const synced = `fdatasync(9<${log}>) = 0`

describe('readTrace', () => {
  it('finds no violation when each write is synced before it is acknowledged', () => {
    const lines = [written(0), synced, printed(0), written(1), synced, printed(1)]
    expect(readTrace(lines, log, 2)).toEqual({ acknowledged: 2, syncs: 2, unsynced: 0 })
  })

  it('finds no violation when one sync covers several writes', () => {
    const lines = [written(0), written(1), synced, printed(0), printed(1)]
    expect(readTrace(lines, log, 2)).toEqual({ acknowledged: 2, syncs: 1, unsynced: 0 })
  })

  it.each([
    ['there is no sync', [written(0), printed(0)]],
    ['the sync came before the write', [synced, written(0), printed(0)]],
    ['the sync came after the acknowledgement', [written(0), printed(0), synced]],
    ['the sync failed', [written(0), `fdatasync(9<${log}>) = -1 EIO`, printed(0)]],
    ['another file was synced', [written(0), 'fdatasync(8</tmp/v.db>) = 0', printed(0)]],
    ['the record was never written', [synced, printed(0)]],
  ])('finds an unsynced acknowledgement when %s', (_, lines) => {
    expect(readTrace(lines, log, 1).unsynced).toBe(1)
  })
})

describe('readKeyFileTrace', () => {
  const created =
    '11 openat(AT_FDCWD, "/tmp/f/key", O_WRONLY|O_CREAT|O_EXCL|O_CLOEXEC, 0600) = 20</tmp/f/key>'
  const file = '12 fsync(20</tmp/f/key>)        = 0'
  const folder = '13 fsync(21</tmp/f>)              = 0'
  const printed = '10 write(1<pipe:[1]>, "(created)\\n", 10) = 10'
  const both = { file: true, folder: true }

  it('finds file and folder synced, also if another thread interrupts', () => {
    expect(readKeyFileTrace([created, file, folder, printed], '/tmp/f/key')).toEqual(both)
    const interrupted = [
      created,
      file,
      '13 fsync(21</tmp/f> <unfinished ...>',
      '10 write(19<anon_inode:[eventfd]>, "\\1", 8) = 8',
      '13 <... fsync resumed>)              = 0',
      printed,
    ]
    expect(readKeyFileTrace(interrupted, '/tmp/f/key')).toEqual(both)
  })

  it.each<[string, string[], Partial<typeof both>]>([
    ['the folder is not synced', [created, file, printed], { folder: false }],
    ['the file is not synced', [created, folder, printed], { file: false }],
    ['a sync comes before the creation', [folder, created, file, printed], { folder: false }],
    ['a sync comes after the acknowledgement', [created, file, printed, folder], { folder: false }],
    [
      'a sync fails',
      [created, file, folder.replace('= 0', '= -1 EIO'), printed],
      { folder: false },
    ],
    [
      'another folder is synced',
      [created, file, folder.replace('/f', ''), printed],
      { folder: false },
    ],
    ['nothing is acknowledged', [created, file, folder], { file: false, folder: false }],
    ['the file exists already', [file, folder, printed], { file: false, folder: false }],
  ])('finds the missing sync when %s', (_, lines, missing) => {
    expect(readKeyFileTrace(lines, '/tmp/f/key')).toEqual({ ...both, ...missing })
  })
})
