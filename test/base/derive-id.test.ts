import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deriveId } from '../../src/base/derive-id.js'
import { toBase32 } from '../../src/base/to-base32.js'

const expectedId = (names: readonly string[]) =>
  toBase32(createHash('sha256').update(JSON.stringify(names)).digest()).slice(0, 26)

describe('deriveId', () => {
  it('returns the beginning of the SHA-256 digest of the names', async () => {
    expect(await deriveId(['credential', 'v', 'openai', ''])).toBe(
      expectedId(['credential', 'v', 'openai', '']),
    )
  })

  it('returns the same ids again after more names than it keeps', async () => {
    const lists = Array.from({ length: 4_100 }, (_, index) => ['many', String(index)])
    const first = await Promise.all(lists.map(deriveId))
    expect(first).toEqual(lists.map(expectedId))
    expect(await Promise.all(lists.map(deriveId))).toEqual(first)
  })
})
