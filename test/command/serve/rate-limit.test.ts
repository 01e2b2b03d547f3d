import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRateLimit } from '../../../src/command/serve/rate-limit.js'

describe('createRateLimit', () => {
  it('allows as many events as the limit, and says when the next one is allowed', () => {
    let now = 0
    const count = createRateLimit(2, () => now)
    expect([count('a'), count('a'), count('a'), count('b')]).toEqual([0, 0, 30, 0])
    now = 29_999
    expect(count('a')).toBe(1)
    now = 30_000
    expect([count('a'), count('a')]).toEqual([0, 30])
  })

  it('never allows more than twice the limit in a minute, whenever the events are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 200 }),
        (limit, pauses) => {
          let now = 0
          const count = createRateLimit(limit, () => now)
          const allowed: number[] = []
          for (const pause of pauses) {
            now += pause
            if (count('a') === 0) allowed.push(now)
          }
          for (const start of allowed)
            expect(
              allowed.filter((at) => at >= start && at < start + 60_000).length,
            ).toBeLessThanOrEqual(2 * limit)
        },
      ),
    )
  })

  it('forgets the key that was seen least recently beyond 10,000', () => {
    const count = createRateLimit(1, () => 0)
    count('first')
    for (let index = 0; index < 9999; index++) count(`key ${index}`)
    expect(count('first')).toBeGreaterThan(0)
    count('one more')
    expect([count('first'), count('key 0')].map((seconds) => seconds > 0)).toEqual([true, false])
  })
})
