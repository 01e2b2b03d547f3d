import { describe, expect, it } from 'vitest'
import { compareFiles, runUploads } from '../../reliability/uploads/run-uploads.js'

const plan = { engine: 'sqlite', acknowledged: 100, ahead: 61 * 60_000 }

describe('proof:uploads', { timeout: 60_000 }, () => {
  it('finds every acknowledged file with its content, though a collector takes all for crashed', async () => {
    const found = await runUploads(plan)
    expect(found).toMatchObject({ unknown: 0, lost: 0, torn: 0, pending: 0 })
    expect(found.acknowledged).toBeGreaterThanOrEqual(100)
    expect(found.attempted).toBe(found.acknowledged + found.rejected)
  })

  it('catches an upload that does not notice that it was collected', async () => {
    const found = await runUploads({ ...plan, variant: 'does not notice that it was collected' })
    expect(found.lost).toBeGreaterThan(0)
  })
})

describe('compareFiles', () => {
  const file = { itemId: 'i', fileId: 'f', text: 'a' }

  it.each<[string, [string, string | undefined][], { lost: number; torn: number }]>([
    ['nothing where all is there', [['i/f', 'a']], { lost: 0, torn: 0 }],
    ['a file that is not there', [], { lost: 1, torn: 0 }],
    ['a file with another content', [['i/f', 'b']], { lost: 1, torn: 0 }],
    ['a file that cannot be read', [['i/f', undefined]], { lost: 1, torn: 0 }],
    [
      'a file that nobody was told of and cannot be read',
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
