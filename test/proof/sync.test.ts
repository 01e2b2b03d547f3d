import { describe, expect, it } from 'vitest'
import { readTrace } from '../../proof/sync/watch-syncs.js'

const log = '/tmp/v.db-wal'
const written = (record: number): string =>
  `pwrite64(9<${log}>, "\\0\\1(record ${record})\\2", 4096, 56) = 4096`
const said = (record: number): string =>
  `write(1<pipe:[1]>, "(acknowledged ${record})\\n", 18) = 18`
const synced = `fdatasync(9<${log}>) = 0`

describe('the reading of a trace', () => {
  it('finds nothing wrong when each write is synced before it is acknowledged', () => {
    const lines = [written(0), synced, said(0), written(1), synced, said(1)]
    expect(readTrace(lines, log, 2)).toEqual({ acknowledged: 2, syncs: 2, unsynced: 0 })
  })

  it('finds nothing wrong when one sync stands for several writes', () => {
    const lines = [written(0), written(1), synced, said(0), said(1)]
    expect(readTrace(lines, log, 2)).toEqual({ acknowledged: 2, syncs: 1, unsynced: 0 })
  })

  it.each([
    ['there is no sync', [written(0), said(0)]],
    ['the sync came before the write', [synced, written(0), said(0)]],
    ['the sync came after the acknowledgement', [written(0), said(0), synced]],
    ['the sync failed', [written(0), `fdatasync(9<${log}>) = -1 EIO`, said(0)]],
    ['another file was synced', [written(0), 'fdatasync(8</tmp/v.db>) = 0', said(0)]],
    ['the record was never written', [synced, said(0)]],
  ])('finds an acknowledgement too many when %s', (_, lines) => {
    expect(readTrace(lines, log, 1).unsynced).toBe(1)
  })
})
