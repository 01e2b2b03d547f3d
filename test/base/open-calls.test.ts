import { describe, expect, it } from 'vitest'
import { closeCalls, countCall, countEach, type OpenCalls } from '../../src/base/open-calls.js'

const closed = { code: 'STORAGE_UNAVAILABLE', status: 503, message: 'the thing is closed' }

function createCalls(): OpenCalls {
  return { owner: 'the thing', count: 0 }
}

describe('countCall', () => {
  it('settles as the call does, and counts it while it is in progress', async () => {
    const calls = createCalls()
    const gate = Promise.withResolvers<string>()
    const running = countCall(calls, () => gate.promise)
    const failing = countCall(calls, () => Promise.reject(new Error('no')))
    expect(calls.count).toBe(2)
    await expect(failing).rejects.toThrow('no')
    expect(calls.count).toBe(1)
    gate.resolve('done')
    expect(await running).toBe('done')
    expect(calls.count).toBe(0)
  })
})

describe('countEach', () => {
  it('counts the calls of each method, and passes their arguments', async () => {
    const calls = createCalls()
    const methods = countEach(calls, { add: async (one: number, other: number) => one + other })
    const sum = methods.add(1, 2)
    expect(calls.count).toBe(1)
    expect(await sum).toBe(3)
    await closeCalls(calls)
    await expect(methods.add(1, 2)).rejects.toMatchObject(closed)
  })
})

describe('closeCalls', () => {
  it('resolves after the last call, and refuses further ones', async () => {
    const calls = createCalls()
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    const running = countCall(calls, () => gate.promise).then(() => order.push('call'))
    const closing = closeCalls(calls).then(() => order.push('closed'))
    expect(closeCalls(calls)).toBe(calls.closing)
    await expect(countCall(calls, async () => 1)).rejects.toMatchObject(closed)
    gate.resolve()
    await Promise.all([running, closing])
    expect(order).toEqual(['call', 'closed'])
  })

  it('resolves when no call is in progress', () => closeCalls(createCalls()))
})
