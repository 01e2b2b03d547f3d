import { describe, expect, it } from 'vitest'
import { compareFiles, runUploads } from '../../../tools/reliability/uploads/run-uploads.js'
import { runAll } from '../../support/run-all.js'

const options = { engine: 'sqlite', acknowledged: runAll ? 100 : 50, aheadMs: 61 * 60_000 }

describe('runUploads', () => {
  it('finds every acknowledged file, although the collector takes each upload for crashed', async () => {
    const found = await runUploads(options)
    expect(found).toMatchObject({ unknown: 0, lost: 0, torn: 0, pending: 0 })
    expect(found.acknowledged).toBeGreaterThanOrEqual(options.acknowledged)
    expect(found.attempted).toBe(found.acknowledged + found.rejected)
  })

  it('catches an upload that does not notice its collection', async () => {
    const found = await runUploads({ ...options, variant: 'does not notice that it was collected' })
    expect(found.lost).toBeGreaterThan(0)
  })
})

describe('compareFiles', () => {
  const file = { itemId: 'i', fileId: 'f', text: 'a' }

  it.each<[string, [string, string | undefined][], { lost: number; torn: number }]>([
    ['nothing if all files are present', [['i/f', 'a']], { lost: 0, torn: 0 }],
    ['a missing file', [], { lost: 1, torn: 0 }],
    ['a file with other content', [['i/f', 'b']], { lost: 1, torn: 0 }],
    ['a file that cannot be read', [['i/f', undefined]], { lost: 1, torn: 0 }],
    [
      'an unacknowledged file that cannot be read',
      [
        ['i/f', 'a'],
        ['i/g', undefined],
      ],
      { lost: 0, torn: 1 },
    ],
  ])('counts %s', (_, found, stats) => {
    expect(compareFiles([file], new Map(found))).toEqual(stats)
  })
})
