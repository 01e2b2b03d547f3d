import { beforeEach, describe, expect, it } from 'vitest'
import { createKeyQueue, type KeyQueue } from '../../../src/core/runtime/optimistic-retry.js'
import { useVirtualTime } from '../../support/virtual-time.js'

beforeEach(useVirtualTime)

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

describe('createKeyQueue', () => {
  it('gives turns to the callers of a key one after the other in the order of arrival', async () => {
    const queue = createKeyQueue(30_000)
    const log: string[] = []
    const turns = ['a', 'b', 'c'].map((name, index) =>
      takeTurn(queue, 'key', async () => {
        log.push(`${name} begins`)
        await sleep(3 - index)
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
    await Promise.all([1, 2, 3].map(() => takeTurn(queue, 'key', () => sleep(1))))
    expect(queue.enter('key')).toBeUndefined()
  })

  it('queues a caller that arrives while the last one has the turn', async () => {
    const queue = createKeyQueue(30_000)
    const log: number[] = []
    const first = takeTurn(queue, 'key', () => sleep(1))
    const second = takeTurn(queue, 'key', async () => {
      await sleep(3)
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
    const first = takeTurn(queue, 'key', () => sleep(40))
    const late = ['b', 'c'].map((name) => takeTurn(queue, 'key', async () => log.push(name)))
    await sleep(30)
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

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
