import { describe, expect, it } from 'vitest'
import { createPacer, yieldToEventLoop } from '../../src/base/pacer.js'

describe('yieldToEventLoop', () => {
  it('resolves after a task that was scheduled before it', async () => {
    const order: string[] = []
    setImmediate(() => order.push('other'))
    await yieldToEventLoop()
    expect(order).toEqual(['other'])
  })
})

describe('createPacer', () => {
  it('returns a promise when a piece makes the stretch longer than 262,144 bytes', async () => {
    const pace = createPacer()
    const pauses = [100_000, 100_000, 62_144, 1, 262_143, 1, 0].map((bytes) => pace(bytes))
    expect(pauses.map((pause) => pause !== undefined)).toEqual([
      ...[false, false, false, true],
      ...[false, true, false],
    ])
    await Promise.all(pauses)
  })

  it('returns a promise when a single piece is longer than a stretch', () => {
    const pace = createPacer()
    expect([1_000_000, 1_000_000, 1].map((bytes) => pace(bytes) !== undefined)).toEqual([
      true,
      true,
      true,
    ])
  })
})
