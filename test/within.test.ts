import { describe, expect, it } from 'vitest'
import { within } from '../src/within.js'

const late = (): Error => new Error('late')
const later = <Value>(milliseconds: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))

describe('within', () => {
  it('settles as the work does when it is in time', async () => {
    expect(await within(1000, Promise.resolve(7), late)).toBe(7)
    await expect(within(1000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed')
  })

  it('rejects when the time is over, and does not mind how the work ends then', async () => {
    await expect(within(5, later(30, 7), late)).rejects.toThrow('late')
    const failing = later(30, 7).then(() => Promise.reject(new Error('failed')))
    await expect(within(5, failing, late)).rejects.toThrow('late')
    await later(50, undefined)
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 53])(
    'takes %d for a long time, not for none, as timers do',
    async (milliseconds) => {
      expect(await within(milliseconds, later(20, 7), late)).toBe(7)
    },
  )
})
