/** Asks for the keys of a scope again ahead of their age, and drops them when they reach it. */

import type { OpenedScope } from './loaded-ring.js'

/**
 * Returns a function that keeps an opened scope up to date. The keys are asked for again when half
 * of their age is over, and after every twentieth of it until that succeeds. Meanwhile they are
 * used. Keys that no call has used since they were asked for are not asked for. At their age they
 * are dropped.
 *
 * @param askAgain Resolves with true if the provider has unwrapped the same keys again.
 */
export function createKeyAging(
  maxKeyAgeMs: number,
  askAgain: (scope: string, opened: OpenedScope) => Promise<boolean>,
): (scope: string, opened: OpenedScope) => void {
  const startAging = (scope: string, opened: OpenedScope): void => {
    const age = performance.now() - opened.since
    const dropping = startTimer(opened.drop, maxKeyAgeMs - age)
    opened.onDrop = () => {
      clearTimeout(dropping)
      clearTimeout(asking)
    }
    const ask = async (): Promise<void> => {
      if (opened.isDropped) return
      const since = performance.now()
      const wasUsed = opened.isUsed
      opened.isUsed = false
      const isOpen = wasUsed && (await askAgain(scope, opened).catch(() => false))
      if (opened.isDropped) return
      if (isOpen) {
        clearTimeout(dropping)
        opened.since = since
        startAging(scope, opened)
      } else {
        opened.isUsed ||= wasUsed
        asking = startTimer(ask, maxKeyAgeMs / 20)
      }
    }
    let asking = startTimer(ask, maxKeyAgeMs / 2 - age)
  }
  return startAging
}

/** Starts a timer that does not keep a process alive, where the runtime has such timers. */
function startTimer(onTimer: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(onTimer, Math.max(ms, 0))
  if (typeof timer === 'object') timer.unref?.()
  return timer
}
