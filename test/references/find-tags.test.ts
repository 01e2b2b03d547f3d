import { describe, expect, it } from 'vitest'
import { findTags } from '../../src/references/find-tags.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'

describe('findTags', () => {
  it.each<[string, [string, boolean?][]]>([
    ['{{ op://v/i/f }}', [['op://v/i/f']]],
    ['{{op://v/i/f}}', [['op://v/i/f']]],
    ['{{\t OP://v/i/f \t}}', [['OP://v/i/f']]],
    ['{{ op://v/i j/one time }}', [['op://v/i j/one time']]],
    ['{{ op://a/b/c }}{{ op://d/e/f }}', [['op://a/b/c'], ['op://d/e/f']]],
    ['{{{ op://v/i/f }}}', [['op://v/i/f']]],
    ['{{ {{ op://v/i/f }} }}', [['op://v/i/f']]],
    ['{{ op://v/i/f', [['op://v/i/f', false]]],
    ['{{ op://v/i/f }', [['op://v/i/f', false]]],
    ['{{ op://v/i/f\n}}', [['op://v/i/f', false]]],
    ['{{ op://v/{{ op://v/i/f }}', [['op://v/', false], ['op://v/i/f']]],
    ['op://v/i/f { op://v/i/f } \u0024{op://v/i/f}', []],
    ['{{ .Values.op }} {{ "op://v/i/f" }} {{\nop://v/i/f }}', []],
    ['', []],
  ])('finds the tags of %j', (template, expected) => {
    const tags = [...findTags(template)].map(({ text, isClosed }) => [text, isClosed])
    expect(tags).toEqual(expected.map(([text, isClosed = true]) => [text, isClosed]))
  })

  it('returns the offsets and the line of a tag', () => {
    const template = 'a\n\nb {{ op://a/b/c }}\r\n{{op://d/e/f}}{{op://g/h/i}} z'
    const tags = [...findTags(template)]
    expect(tags.map(({ line }) => line)).toEqual([3, 4, 4])
    expect(tags.map(({ start, end }) => template.slice(start, end))).toEqual([
      '{{ op://a/b/c }}',
      '{{op://d/e/f}}',
      '{{op://g/h/i}}',
    ])
  })

  it.runIf(runAll).each([
    ['braces', '{'],
    ['blanks after braces', '{{ '],
    ['blanks', ' '],
    ['unclosed tags', '{{ op://a/b/c'],
    ['tags that another brace ends', '{{ op://a/b/c }'],
    ['closed tags', '{{ op://a/b/c }}\n'],
    ['one long tag', 'a'],
    ['lines', '\n'],
  ])('takes time in proportion to the length of many %s', (_, part) => {
    const timeOf = (length: number): number => {
      const template = `{{ op://${part.repeat(length / part.length)}`
      const cpuTime = measureCpuTime()
      for (const tag of findTags(template)) expect(tag.end).toBeGreaterThan(tag.start)
      return cpuTime()
    }
    timeOf(100_000)
    const [short, long] = [timeOf(200_000), timeOf(1_600_000)]
    // Eight times as long; in quadratic time it would be 64 times.
    expect(long).toBeLessThan(short * 40 + 100)
  })
})
