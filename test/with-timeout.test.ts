import { describe, expect, it, vi } from 'vitest'
import { withTimeout } from '../src/with-timeout.js'

const late = (): Error => new Error('late')
const later = <Value>(milliseconds: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))

describe('within', () => {
  it('settles as the work does when it is in time', async () => {
    expect(await withTimeout(1000, Promise.resolve(7), late)).toBe(7)
    await expect(withTimeout(1000, Promise.reject(new Error('failed')), late)).rejects.toThrow(
      'failed',
    )
  })

  it('rejects when the time is over, and does not mind how the work ends then', async () => {
    await expect(withTimeout(5, later(30, 7), late)).rejects.toThrow('late')
    const failing = later(30, 7).then(() => Promise.reject(new Error('failed')))
    await expect(withTimeout(5, failing, late)).rejects.toThrow('late')
    await later(50, undefined)
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 53])(
    'takes %d for a long time, not for none, as timers do',
    async (milliseconds) => {
      expect(await withTimeout(milliseconds, later(20, 7), late)).toBe(7)
    },
  )

  it('counts the time from when it is said to begin, however often that moves', async () => {
    let since = performance.now()
    const moving = setInterval(() => {
      since = performance.now()
    }, 5)
    setTimeout(() => clearInterval(moving), 100)
    const began = performance.now()
    await expect(withTimeout(30, later(500, 7), late, { idleSince: () => since })).rejects.toThrow(
      'late',
    )
    expect(performance.now() - began).toBeGreaterThan(100)
  })

  it('rejects with what is made of the reason, once', async () => {
    const failure = vi.fn((reason: unknown) => new Error(`because: ${reason}`))
    await expect(
      withTimeout(5, Promise.reject(new Error('no')), late, { failure }),
    ).rejects.toThrow('because: Error: no')
    const failing = later(20, 7).then(() => Promise.reject(new Error('no')))
    await expect(withTimeout(5, failing, late, { failure })).rejects.toThrow('because: Error: late')
    await later(40, undefined)
    expect(failure).toHaveBeenCalledTimes(2)
  })
})
