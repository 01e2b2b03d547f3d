import { describe, expect, it } from 'vitest'
import { generationRatios, median, type Sample } from '../../tools/bench/measure.js'

function sample(contender: string, generation: number, cpu: number): Sample {
  return { contender, operation: 'get', generation, cpu, rate: 0 }
}

describe('median', () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ])('of %j is %d', (numbers, expected) => {
    expect(median(numbers)).toBe(expected)
  })
})

describe('generationRatios', () => {
  it('returns the median ratio of the rounds of each generation', () => {
    const samples = [
      ...[2, 30, 4].map((cpu) => sample('a', 1, cpu)),
      ...[1, 10, 1].map((cpu) => sample('b', 1, cpu)),
      sample('a', 2, 5),
      sample('b', 2, 2),
    ]
    expect(generationRatios(samples, ['a', 'b'], 'get', 'cpu')).toEqual([3, 2.5])
  })
})
