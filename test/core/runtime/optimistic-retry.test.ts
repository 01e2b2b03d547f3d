import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createKeyQueue,
  createOptimisticRetry,
  type KeyQueue,
  retryOptions,
} from '../../../src/core/runtime/optimistic-retry.js'
import { createVaultService, type RetryOptions } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { conflict } from '../../support/service/rejections.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const key = { collection: 'items/v', id: 'i' }
const noSleep = async (): Promise<void> => {}

describe('createOptimisticRetry', () => {
  it.each([
    [{ sleep: noSleep }, 32],
    [{ sleep: noSleep, maxAttempts: 1 }, 1],
    [{ sleep: noSleep, maxAttempts: 100, maxTotalMs: Number.POSITIVE_INFINITY }, 100],
  ])('throws CONFLICT (409) after the last attempt: %j', async (options, expected) => {
    let conflicts = 0
    let attempts = 0
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => conflicts++,
      retryOptions.read(options),
    )
    const call = retry(key, 'item', async () => {
      attempts++
      return undefined
    })
    await expect(call).rejects.toMatchObject({
      ...conflict,
      message: 'item i has too many concurrent changes',
    })
    expect([attempts, conflicts]).toEqual([expected, expected])
  })

  it('limits the time from the first refused write on, whatever the first attempt took', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => {
      random.mockRestore()
      clock.mockRestore()
    })
    const sleep = async (ms: number) => {
      now += ms
    }
    const options = { maxAttempts: 1000, maxTotalMs: 50, sleep }
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read(options),
    )
    let attempts = 0
    const call = retry(key, 'item', async () => {
      now += attempts++ === 0 ? 20 : 2
      return undefined
    })
    await expect(call).rejects.toMatchObject(conflict)
    // Attempts of 20, 2 and 2 ms, and delays of 0.5 * 4 * 20 and 0.5 * 8 * 2 ms. Another delay, of
    // 0.5 * 16 * 2 ms, would end more than 50 ms after the first attempt.
    expect([attempts, now]).toEqual([3, 72])
  })

  it('makes one attempt when no time is left for a second one', async () => {
    let attempts = 0
    const options = { maxTotalMs: 0, sleep: noSleep }
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read(options),
    )
    const call = retry(key, 'item', async () => {
      attempts++
      await wait(5)
      return undefined
    })
    await expect(call).rejects.toMatchObject(conflict)
    expect(attempts).toBe(1)
  })

  it('sleeps between attempts and after the one that wins, at most 250 ms each', async () => {
    const delays: number[] = []
    const sleep = async (ms: number): Promise<void> => void delays.push(ms)
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read({ sleep }),
    )
    let attempts = 0
    const win = async (): Promise<string | undefined> => {
      await wait(1)
      return ++attempts < 12 ? undefined : 'won'
    }
    expect(await retry(key, 'item', win)).toBe('won')
    expect(delays).toHaveLength(12)
    expect(delays.every((ms) => ms >= 0 && ms <= 250)).toBe(true)
  })

  it('does not sleep when the first attempt wins', async () => {
    const sleep = (): Promise<never> => Promise.reject(new Error('not needed'))
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read({ sleep }),
    )
    expect(await retry(key, 'item', async () => 'won')).toBe('won')
  })

  it.each<[string, RetryOptions['sleep']]>([
    ['rejects', () => Promise.reject(new Error('no timers'))],
    [
      'throws',
      () => {
        throw new Error('no timers')
      },
    ],
  ])('returns what was written when the sleep after it %s', async (_, fail) => {
    let attempts = 0
    const sleep: RetryOptions['sleep'] = async (ms) => (attempts > 1 ? fail?.(ms) : undefined)
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read({ sleep }),
    )
    const win = async (): Promise<string | undefined> => (++attempts > 1 ? 'won' : undefined)
    expect(await retry(key, 'item', win)).toBe('won')
  })

  it('makes no attempt after a sleep that took longer than the time for all', async () => {
    let attempts = 0
    const sleep = (): Promise<void> => wait(60)
    const options = { maxTotalMs: 40, sleep }
    const retry = createOptimisticRetry(
      createKeyQueue(9),
      () => undefined,
      retryOptions.read(options),
    )
    const lose = async (): Promise<undefined> => void attempts++
    await expect(retry(key, 'item', lose)).rejects.toMatchObject(conflict)
    expect(attempts).toBe(1)
  })
})

describe('createVaultService with the option retry', () => {
  it.each<[RetryOptions, string]>([
    [{ maxAttempts: 0 }, 'options.retry.maxAttempts must be a number of 1 or more, or Infinity'],
    [
      { maxAttempts: Number.NaN },
      'options.retry.maxAttempts must be a number of 1 or more, or Infinity',
    ],
    [{ maxTotalMs: -1 }, 'options.retry.maxTotalMs must be a number of 0 or more, or Infinity'],
    [
      { maxTotalMs: Number.NaN },
      'options.retry.maxTotalMs must be a number of 0 or more, or Infinity',
    ],
  ])('throws a RangeError for %j', (retry, message) => {
    const create = () => createVaultService({ store: createMemoryStore(), retry })
    expect(create).toThrow(new RangeError(message))
  })

  it('waits with the timers of the platform by default', async () => {
    const vault = await createTestVault()
    const store = createFaultyStore(vault.store, ({ method, nth }) =>
      method === 'put' && nth === 1 ? 'conflict' : undefined,
    )
    const service = createVaultService({ store })
    const patch = [{ op: 'add', path: '/tags/-', value: 'x' }] as const
    const { version } = await service.patchItem(vault.caller, { ...itemRef(vault), patch })
    expect([version, service.stats.writeConflicts]).toEqual([4, 1])
  })
})

describe('createKeyQueue', () => {
  beforeEach(useVirtualTime)

  it('gives turns to the callers of a key one after the other in the order of arrival', async () => {
    const queue = createKeyQueue(30_000)
    const log: string[] = []
    const turns = ['a', 'b', 'c'].map((name, index) =>
      takeTurn(queue, 'key', async () => {
        log.push(`${name} begins`)
        await wait(3 - index)
        log.push(`${name} ends`)
        return name
      }),
    )
    expect(await Promise.all(turns)).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('gives turns to the callers of different keys concurrently', async () => {
    const queue = createKeyQueue(30_000)
    const gate = Promise.withResolvers<string>()
    const waiting = takeTurn(queue, 'one', () => gate.promise)
    expect(await takeTurn(queue, 'other', async () => 'done')).toBe('done')
    gate.resolve('late')
    expect(await waiting).toBe('late')
  })

  it('returns no promise when no other caller has the turn', () => {
    const queue = createKeyQueue(30_000)
    expect(queue.enter('key')).toBeUndefined()
    expect(queue.enter('other')).toBeUndefined()
    queue.leave('key')
    expect(queue.enter('key')).toBeUndefined()
  })

  it('returns no promise after all waiting callers have left', async () => {
    const queue = createKeyQueue(30_000)
    await Promise.all([1, 2, 3].map(() => takeTurn(queue, 'key', () => wait(1))))
    expect(queue.enter('key')).toBeUndefined()
  })

  it('queues a caller that arrives while the last one has the turn', async () => {
    const queue = createKeyQueue(30_000)
    const log: number[] = []
    const first = takeTurn(queue, 'key', () => wait(1))
    const second = takeTurn(queue, 'key', async () => {
      await wait(3)
      log.push(2)
    })
    await first
    await takeTurn(queue, 'key', async () => log.push(3))
    expect(log).toEqual([2, 3])
    await second
  })

  it('rejects callers that waited longer than the limit and gives the turn to later ones', async () => {
    const queue = createKeyQueue(20)
    const log: string[] = []
    const first = takeTurn(queue, 'key', () => wait(40))
    const late = ['b', 'c'].map((name) => takeTurn(queue, 'key', async () => log.push(name)))
    await wait(30)
    const inTime = takeTurn(queue, 'key', async () => log.push('d'))
    const outcomes = await Promise.allSettled(late)
    await first
    const timeoutError = { code: 'STORAGE_UNAVAILABLE', message: 'earlier changes took too long' }
    expect(outcomes).toMatchObject(late.map(() => ({ status: 'rejected', reason: timeoutError })))
    await inTime
    expect(log).toEqual(['d'])
    expect(queue.enter('key')).toBeUndefined()
  })
})

/** Runs the task in a turn of the key. */
async function takeTurn<Result>(
  queue: KeyQueue,
  key: string,
  task: () => Promise<Result>,
): Promise<Result> {
  await queue.enter(key)
  try {
    return await task()
  } finally {
    queue.leave(key)
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
