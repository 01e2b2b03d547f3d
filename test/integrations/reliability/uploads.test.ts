import { describe, expect, it } from 'vitest'
import { compareFiles } from '../../../tools/reliability/uploads/run-uploads.js'

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
