import { describe, expect, it } from 'vitest'
import { batchesOf, gatherBatches, settleAll } from '../../src/base/batches.js'

describe('batchesOf', () => {
  it.each([
    [[], []],
    [[1], [[1]]],
    [[1, 2], [[1, 2]]],
    [
      [1, 2, 3],
      [[1, 2], [3]],
    ],
  ])('yields %j in parts of two', (elements, batches) => {
    expect([...batchesOf<number>(elements, 2)]).toEqual(batches)
  })
})

describe('gatherBatches', () => {
  it.each([
    [[], []],
    [[1], [[1]]],
    [[1, 2], [[1, 2]]],
    [
      [1, 2, 3],
      [[1, 2], [3]],
    ],
  ])('yields %j in parts of two', async (elements, batches) => {
    const arriving = (async function* () {
      yield* elements
    })()
    const gathered: (readonly number[])[] = []
    for await (const batch of gatherBatches<number>(arriving, 2)) gathered.push(batch)
    expect(gathered).toEqual(batches)
  })

  it('yields a part before the next element has arrived', async () => {
    const arriving = (async function* () {
      yield 1
      yield 2
      throw new Error('asked for a third')
    })()
    expect((await gatherBatches(arriving, 2).next()).value).toEqual([1, 2])
  })
})

describe('settleAll', () => {
  it('returns the results in order', async () => {
    expect(await settleAll([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2])
  })

  it('throws the first error only after everything has ended', async () => {
    const ended: string[] = []
    const slow = new Promise((resolve) => setImmediate(resolve)).then(() => void ended.push('slow'))
    const failing = Promise.reject(new Error('failed'))
    await expect(settleAll<unknown>([failing, slow])).rejects.toThrow('failed')
    expect(ended).toEqual(['slow'])
  })
})
