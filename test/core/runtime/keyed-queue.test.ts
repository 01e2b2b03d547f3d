import { describe, expect, it } from 'vitest'
import { createKeyQueue } from '../../../src/core/runtime/keyed-queue.js'

describe('createKeyQueue', () => {
  it('runs the tasks of a key one after the other, in the order in which they came', async () => {
    const queue = createKeyQueue(30_000)
    const log: string[] = []
    const tasks = ['a', 'b', 'c'].map((name, index) =>
      queue('key', async () => {
        log.push(`${name} begins`)
        await pause(3 - index)
        log.push(`${name} ends`)
        return name
      }),
    )
    expect(await Promise.all(tasks)).toEqual(['a', 'b', 'c'])
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('lets the tasks of different keys run at the same time', async () => {
    const queue = createKeyQueue(30_000)
    const gate = Promise.withResolvers<string>()
    const waiting = queue('one', () => gate.promise)
    expect(await queue('other', async () => 'done')).toBe('done')
    gate.resolve('late')
    expect(await waiting).toBe('late')
  })

  it('begins the first task of a key at once', () => {
    let begun = false
    const running = createKeyQueue(30_000)('key', async () => {
      begun = true
    })
    expect(begun).toBe(true)
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
  ])('rejects as a task %s, and lets the next one run', async (_, fail) => {
    const queue = createKeyQueue(30_000)
    const broken = [queue('key', fail), queue('key', fail)]
    const next = queue('key', async () => 'well')
    const outcomes = await Promise.allSettled([...broken, next])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
    await expect(queue('key', fail)).rejects.toThrow('broken')
    expect(await queue('key', async () => 'again')).toBe('again')
  })

  it('lets a task that comes when all have ended begin at once: it holds nothing of the key', async () => {
    const queue = createKeyQueue(30_000)
    await Promise.allSettled([
      queue('key', async () => {}),
      queue('key', () => Promise.reject(new Error('broken'))),
    ])
    let begun = false
    const running = queue('key', async () => {
      begun = true
    })
    expect(begun).toBe(true)
    await running
  })

  it('keeps a task waiting that comes while the last of the others runs', async () => {
    const queue = createKeyQueue(30_000)
    const log: number[] = []
    const first = queue('key', () => pause(1))
    const second = queue('key', async () => {
      await pause(3)
      log.push(2)
    })
    await first
    await queue('key', async () => log.push(3))
    expect(log).toEqual([2, 3])
    await second
  })

  it('refuses the tasks that have waited too long when their turn comes, and runs those that come later', async () => {
    const queue = createKeyQueue(20)
    const log: string[] = []
    const first = queue('key', () => pause(40))
    const late = ['b', 'c'].map((name) => queue('key', async () => log.push(name)))
    const outcomes = await Promise.allSettled(late)
    await first
    const refusal = { code: 'STORAGE_UNAVAILABLE', message: 'earlier changes took too long' }
    expect(outcomes).toMatchObject(late.map(() => ({ status: 'rejected', reason: refusal })))
    await queue('key', async () => log.push('d'))
    expect(log).toEqual(['d'])
  })
})

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
