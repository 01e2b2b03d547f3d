import { beforeEach, describe, expect, it, vi } from 'vitest'
import { withTimeout } from '../../src/base/with-timeout.js'
import { useVirtualTime } from '../support/virtual-time.js'

beforeEach(useVirtualTime)

const timeoutError = (): Error => new Error('timed out')
const resolveAfter = <Value>(ms: number, value: Value): Promise<Value> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms))

describe('withTimeout', () => {
  it('settles like the promise when it settles in time', async () => {
    expect(await withTimeout(Promise.resolve(7), 1000, timeoutError)).toBe(7)
    const failing = Promise.reject(new Error('failed'))
    await expect(withTimeout(failing, 1000, timeoutError)).rejects.toThrow('failed')
  })

  it('rejects when the timeout is over, and ignores the later outcome', async () => {
    await expect(withTimeout(resolveAfter(30, 7), 5, timeoutError)).rejects.toThrow('timed out')
    const failing = resolveAfter(30, 7).then(() => Promise.reject(new Error('failed')))
    await expect(withTimeout(failing, 5, timeoutError)).rejects.toThrow('timed out')
    await resolveAfter(50, undefined)
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 53])(
    'waits when the timeout is %d, which is more than a timer allows',
    async (ms) => {
      expect(await withTimeout(resolveAfter(20, 7), ms, timeoutError)).toBe(7)
    },
  )

  it('calls onLate with a result that arrives after the timeout, and only then', async () => {
    const late: unknown[] = []
    const onLate = (result: unknown): void => void late.push(result)
    const { promise, resolve } = Promise.withResolvers<string>()
    await expect(withTimeout(promise, 1, () => new Error('late'), { onLate })).rejects.toThrow()
    expect(await withTimeout(Promise.resolve('in time'), 1000, Error, { onLate })).toBe('in time')
    expect(late).toEqual([])
    resolve('result')
    await promise
    expect(late).toEqual(['result'])
  })

  it('waits for all of a timeout that is more than a timer allows', async () => {
    const start = performance.now()
    const waiting = withTimeout(new Promise(() => {}), 2 ** 31 + 1000, timeoutError)
    await expect(waiting).rejects.toThrow('timed out')
    expect(performance.now() - start).toBe(2 ** 31 + 1000)
  })

  it('counts from idleSince when that time moves', async () => {
    let since = performance.now()
    const moving = setInterval(() => {
      since = performance.now()
    }, 5)
    setTimeout(() => clearInterval(moving), 100)
    const start = performance.now()
    const waiting = withTimeout(resolveAfter(500, 7), 30, timeoutError, { idleSince: () => since })
    await expect(waiting).rejects.toThrow('timed out')
    expect(performance.now() - start).toBe(125)
  })

  it('rejects with the result of toError, called once', async () => {
    const toError = vi.fn((reason: unknown) => new Error(`because: ${reason}`))
    const failed = withTimeout(Promise.reject(new Error('no')), 5, timeoutError, { toError })
    await expect(failed).rejects.toThrow('because: Error: no')
    const failing = resolveAfter(20, 7).then(() => Promise.reject(new Error('no')))
    await expect(withTimeout(failing, 5, timeoutError, { toError })).rejects.toThrow(
      'because: Error: timed out',
    )
    await resolveAfter(40, undefined)
    expect(toError).toHaveBeenCalledTimes(2)
  })
})
