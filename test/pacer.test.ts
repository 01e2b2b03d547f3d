import { describe, expect, it } from 'vitest'
import { createPacer, turn } from '../src/pacer.js'

describe('turn', () => {
  it('resolves after what else was waiting for its turn', async () => {
    const order: string[] = []
    setImmediate(() => order.push('other'))
    await turn()
    expect(order).toEqual(['other'])
  })
})

describe('createPacer', () => {
  it('asks for a turn before the piece that makes a stretch longer than 262,144 bytes', async () => {
    const pace = createPacer()
    const pauses = [100_000, 100_000, 62_144, 1, 262_143, 1, 0].map((bytes) => pace(bytes))
    expect(pauses.map((pause) => pause !== undefined)).toEqual([
      ...[false, false, false, true],
      ...[false, true, false],
    ])
    await Promise.all(pauses)
  })

  it('asks for a turn before each piece that is longer than a stretch', () => {
    const pace = createPacer()
    expect([1_000_000, 1_000_000, 1].map((bytes) => pace(bytes) !== undefined)).toEqual([
      true,
      true,
      true,
    ])
  })
})
