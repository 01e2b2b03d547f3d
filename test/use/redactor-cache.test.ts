import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRedactorCache } from '../../src/use/redactor-cache.js'

/** Replaces the clock and the timers until the end of the test. */
function useFakeTimers(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

describe('createRedactorCache', () => {
  it('returns the same redactor for the same values, and masks them', () => {
    useFakeTimers()
    const redactorOf = createRedactorCache()
    const redactor = redactorOf(['sk_live_correct', 'horse_battery'])
    expect(redactorOf(['sk_live_correct', 'horse_battery'])).toBe(redactor)
    expect(redactor.text('sk_live_correct horse_battery')).toBe('[secret] [secret]')
    expect(redactorOf(['horse_battery', 'sk_live_correct'])).not.toBe(redactor)
    expect(redactorOf(['sk_live_correct'])).not.toBe(redactor)
    expect(createRedactorCache()(['sk_live_correct', 'horse_battery'])).not.toBe(redactor)
  })

  it('drops a redactor after a minute, even if it was used meanwhile', () => {
    useFakeTimers()
    const redactorOf = createRedactorCache()
    const first = redactorOf(['sk_live_correct'])
    vi.advanceTimersByTime(59_999)
    expect(redactorOf(['sk_live_correct'])).toBe(first)
    vi.advanceTimersByTime(1)
    expect(vi.getTimerCount()).toBe(0)
    const second = redactorOf(['sk_live_correct'])
    expect(second).not.toBe(first)
  })

  it('keeps eight at most, and no timer of another one', () => {
    useFakeTimers()
    const redactorOf = createRedactorCache()
    const redactors = Array.from({ length: 9 }, (_, index) => redactorOf([`sk_live_${index}`]))
    expect(vi.getTimerCount()).toBe(8)
    expect(redactorOf(['sk_live_8'])).toBe(redactors[8])
    expect(redactorOf(['sk_live_0'])).not.toBe(redactors[0])
  })

  it('does not keep one that needs much memory', () => {
    useFakeTimers()
    const redactorOf = createRedactorCache()
    const values = [Array.from({ length: 2000 }, (_, index) => `&"é${index}`).join('')]
    expect(redactorOf(values)).not.toBe(redactorOf(values))
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets the process end, on Deno as well', () => {
    const timers: unknown[] = []
    vi.stubGlobal('Deno', { unrefTimer: (timer: unknown) => timers.push(timer) })
    onTestFinished(() => void vi.unstubAllGlobals())
    createRedactorCache()(['sk_live_correct'])
    expect(timers.map((timer) => Object(timer).hasRef())).toEqual([false])
  })
})
