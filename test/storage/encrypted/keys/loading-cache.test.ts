import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLoadingCache } from '../../../../src/storage/encrypted/keys/loading-cache.js'

const limits = { maxAgeMs: 1000, maxEntries: 2, onEvict: () => {} }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('createLoadingCache', () => {
  it('loads a value once when several calls need it, and again when it is too old', async () => {
    const load = vi.fn(async (key: string) => `${key}!`)
    const cache = createLoadingCache(load, limits)
    expect(cache.peek('a')).toBeUndefined()
    expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['a!', 'a!'])
    expect(cache.peek('a')).toBe('a!')
    expect(load).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1000)
    expect(cache.peek('a')).toBeUndefined()
    await cache.get('a')
    expect(load).toHaveBeenLastCalledWith('a', 'a!')
  })

  it('removes and returns every value when clear is called', async () => {
    const load = vi.fn(async (key: string) => (key === 'b' ? undefined : key))
    const cache = createLoadingCache(load, limits)
    await cache.get('a')
    const missing = cache.get('b')
    expect(cache.clear()).toEqual(['a'])
    expect([await missing, cache.peek('a'), cache.clear()]).toEqual([undefined, undefined, []])
    expect(await cache.get('a')).toBe('a')
  })

  it('loads again when load is called, although the value is cached', async () => {
    const load = vi.fn(async (key: string) => key)
    const cache = createLoadingCache(load, limits)
    await cache.get('a')
    await cache.load('a')
    expect(load).toHaveBeenCalledTimes(2)
  })

  it('caches nothing when a load fails or finds nothing, and passes on the value before', async () => {
    const results: (() => Promise<string | undefined>)[] = [
      async () => 'first',
      () => Promise.reject(new Error('failed')),
      async () => undefined,
      async () => 'second',
    ]
    const previous: (string | undefined)[] = []
    const cache = createLoadingCache<string>(async (_, before) => {
      previous.push(before)
      return results.shift()?.()
    }, limits)
    await cache.get('a')
    await expect(cache.load('a')).rejects.toThrow('failed')
    expect(cache.peek('a')).toBeUndefined()
    expect(await cache.get('a')).toBeUndefined()
    expect(await cache.get('a')).toBe('second')
    expect(previous).toEqual([undefined, 'first', 'first', 'first'])
  })

  it('removes the least recently used value when there are too many', async () => {
    const onEvict = vi.fn()
    const cache = createLoadingCache(async (key: string) => key, { ...limits, onEvict })
    for (const key of ['a', 'b']) await cache.get(key)
    cache.peek('a')
    await cache.get('c')
    expect(['a', 'b', 'c'].map((key) => cache.peek(key))).toEqual(['a', undefined, 'c'])
    expect(onEvict.mock.calls).toEqual([['b']])
  })
})
