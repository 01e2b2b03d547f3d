import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/use.js'
import { measureCpuTime } from '../../support/cpu-time.js'

/** Here, because the code that measures coverage lengthens the two times differently. */
describe('createRedactor', () => {
  it.each<[string, string]>([
    ['backslashes', `key${'\\'.repeat(4000)}`],
    ['letters', 'k'.repeat(40)],
    [
      'lines with one beginning',
      Array.from('bcdefghijklmnopqrst0123456789', (one) => `a${one}1234567`).join('\n'),
    ],
    ['characters of four bytes', '😀'.repeat(2000)],
    ['short periods', 'ab'.repeat(2000)],
    ['entities', '&'.repeat(2000)],
  ])(
    // At most 5.7 times when the machine does nothing else.
    'takes at most eight times as long for any body as for letters, with a value of %s',
    (_, one) => {
      const redactor = createRedactor([one])
      const size = 262_144
      const least = new Map<string, number>()
      /** Measures again and again, because other work on the machine can only lengthen a time. */
      const measure = (text: string): number => {
        const body = text.repeat(Math.ceil(size / text.length)).slice(0, size)
        const cpuTime = measureCpuTime()
        redactor.text(body)
        const time = Math.min(least.get(text) ?? Number.POSITIVE_INFINITY, cpuTime())
        least.set(text, time)
        return time
      }
      const bodies = [
        '%5c',
        '\\',
        '\\u005c',
        '&#92;',
        '5c',
        'a~',
        `${one.slice(0, -1)}~`,
        `${encodeURIComponent(one).slice(0, -1)}~`,
      ]
      for (const body of bodies) {
        let ratio = Number.POSITIVE_INFINITY
        for (let round = 0; round < 20 && (round < 2 || ratio > 8); round++)
          ratio = measure(body) / measure('thequickbrownfoxjumpsoverthelazydogz')
        expect(ratio, body.slice(0, 20)).toBeLessThan(8)
      }
    },
  )
})
