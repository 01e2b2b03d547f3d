import { describe, expect, it } from 'vitest'
import { forEachConcurrently } from '../../src/references/create-reference-resolver.js'

const turn = (): Promise<void> => new Promise(setImmediate)

describe('forEachConcurrently', () => {
  it('works on each element once, in order, on at most as many as the limit at a time', async () => {
    const elements = Array.from({ length: 20 }, (_, index) => index)
    const begun: number[] = []
    let [pending, maxPending] = [0, 0]
    await forEachConcurrently(elements, 3, async (element) => {
      begun.push(element)
      maxPending = Math.max(maxPending, ++pending)
      await turn()
      pending--
    })
    expect(begun).toEqual(elements)
    expect([pending, maxPending]).toEqual([0, 3])
  })

  it('resolves without elements', async () => {
    await forEachConcurrently([], 3, () => Promise.reject(new Error('called')))
  })

  it('rejects with the error of the first element that fails, and begins no further one', async () => {
    const begun: string[] = []
    const work = async (element: string): Promise<void> => {
      begun.push(element)
      if (element === 'b') {
        await turn()
        await turn()
      }
      if (element !== 'a') throw new Error(element)
    }
    await expect(forEachConcurrently(['a', 'b', 'c', 'd', 'e'], 2, work)).rejects.toThrow('b')
    expect(begun).toEqual(['a', 'b', 'c'])
  })
})
