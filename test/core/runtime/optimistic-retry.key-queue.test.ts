import { describe, expect, it } from 'vitest'
import { createKeyQueue } from '../../../src/core/runtime/optimistic-retry.js'

describe('createKeyQueue', () => {
  it('runs the tasks of a key one after the other in the order of arrival', async () => {
    const queue = createKeyQueue(30_000)
    const log: string[] = []
    const tasks = ['a', 'b', 'c'].map((name, index) =>
      queue('key', async () => {
        log.push(`${name} begins`)
        await sleep(3 - index)
        log.push(`${name} ends`)
        return name
      }),
    )
    expect(await Promise.all(tasks)).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('runs the tasks of different keys concurrently', async () => {
    const queue = createKeyQueue(30_000)
    const gate = Promise.withResolvers<string>()
    const waiting = queue('one', () => gate.promise)
    expect(await queue('other', async () => 'done')).toBe('done')
    gate.resolve('late')
    expect(await waiting).toBe('late')
  })

  it('starts the first task of a key synchronously', () => {
    let started = false
    const running = createKeyQueue(30_000)('key', async () => {
      started = true
    })
    expect(started).toBe(true)
    return running
  })

  it.each<[string, () => Promise<never>]>([
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
  ])('rejects and runs the next task when a task %s', async (_, fail) => {
    const queue = createKeyQueue(30_000)
    const broken = [queue('key', fail), queue('key', fail)]
    const next = queue('key', async () => 'ok')
    const outcomes = await Promise.allSettled([...broken, next])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    await expect(queue('key', fail)).rejects.toThrow('broken')
    expect(await queue('key', async () => 'again')).toBe('again')
  })

  it('starts a task synchronously when all earlier tasks of the key have ended', async () => {
    const queue = createKeyQueue(30_000)
    await Promise.allSettled([
      queue('key', async () => {}),
      queue('key', () => Promise.reject(new Error('broken'))),
    ])
    let started = false
    const running = queue('key', async () => {
      started = true
    })
    expect(started).toBe(true)
    await running
  })

  it('queues a task that arrives while the last one runs', async () => {
    const queue = createKeyQueue(30_000)
    const log: number[] = []
    const first = queue('key', () => sleep(1))
    const second = queue('key', async () => {
      await sleep(3)
      log.push(2)
    })
    await first
    await queue('key', async () => log.push(3))
    expect(log).toEqual([2, 3])
    await second
  })

  it('rejects tasks that waited longer than the limit and runs later ones', async () => {
    const queue = createKeyQueue(20)
    const log: string[] = []
    const first = queue('key', () => sleep(40))
    const late = ['b', 'c'].map((name) => queue('key', async () => log.push(name)))
    const outcomes = await Promise.allSettled(late)
    await first
    const timeoutError = { code: 'STORAGE_UNAVAILABLE', message: 'earlier changes took too long' }
    expect(outcomes).toMatchObject(late.map(() => ({ status: 'rejected', reason: timeoutError })))
    await queue('key', async () => log.push('d'))
    expect(log).toEqual(['d'])
  })
})

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
