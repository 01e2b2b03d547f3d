import { createRedactor } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { measureCpuTime } from '../support/cpu-time.js'
import { echoForms, isLeaked } from './support/echo-forms.js'

const value = 'p@ss/w+rd "é" <&\'=> 4'
const encoder = new TextEncoder()

/** Returns what comes out of a stream after each of these texts, and at the end. */
async function pass(values: readonly string[], texts: readonly string[]): Promise<string[]> {
  const { readable, writable } = createRedactor(values).stream()
  const [reader, writer] = [readable.getReader(), writable.getWriter()]
  const outputs: string[] = []
  let output = ''
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      output += new TextDecoder().decode(next.value)
  })()
  const take = (): void => {
    outputs.push(output)
    output = ''
  }
  for (const text of texts) {
    await writer.write(encoder.encode(text))
    await new Promise((resolve) => setImmediate(resolve))
    take()
  }
  await Promise.all([writer.close(), reading])
  take()
  return outputs
}

describe('createRedactor', () => {
  it.each(Object.entries(echoForms))('masks a value in the form %s', (form, encode) => {
    const output = createRedactor([value]).text(`before ${encode(value)} after`)
    expect(output).toMatch(/^before .*\[secret\].* after$/)
    expect(isLeaked(output, value, form)).toBe(false)
  })

  it.each([
    ['.NET', 'p@ss/w\\u002Brd \\u0022\\u00E9\\u0022 \\u003C\\u0026\\u0027=\\u003E 4'],
    ['JSON in JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    ['PHP', 'p@ss\\/w+rd \\"\\u00e9\\" <&\'=> 4'],
    ['Go', 'p@ss/w+rd \\"é\\" \\u003c\\u0026\'=\\u003e 4'],
    ['encodeURI', encodeURI(value)],
    ['JSON in a URL', encodeURIComponent(JSON.stringify(value).slice(1, -1))],
    ['.NET in a URL', encodeURIComponent("p@ss/w\\u002Brd \\u0022\\u00E9\\u0022 <&'=> 4")],
    ['Python in HTML', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&#x27;=&gt; 4'],
    ['Handlebars', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&#x27;&#x3D;&gt; 4'],
    ['base64 in JSON of PHP', btoa('~~~~?>>?>>').replaceAll('/', '\\/')],
  ])('masks a value as %s writes it', (_, text) => {
    expect(createRedactor([value, '~~~~?>>?>>']).text(text).replace(/=+$/, '')).toBe('[secret]')
  })

  it('masks a value whose every character is escaped', () => {
    const redactor = createRedactor(['s3cret-value'])
    const escapes = [
      (code: number) => `\\u00${code.toString(16)}`,
      (code: number) => `%${code.toString(16)}`,
      (code: number) => `&#${code};`,
      (code: number) => `&#x${code.toString(16)};`,
    ]
    for (const escape of escapes)
      expect(redactor.text([...Buffer.from('s3cret-value')].map(escape).join(''))).toBe('[secret]')
  })

  it('masks values that overlap, contain each other or follow each other', () => {
    const redactor = createRedactor(['12345678', '56789abc', '0123456789', 'xxxxxxxx'])
    expect(redactor.text('<12345678>')).toBe('<[secret]>')
    expect(redactor.text('<123456789abc>')).toBe('<[secret]>')
    expect(redactor.text('<0123456789>')).toBe('<[secret]>')
    expect(redactor.text('1234567812345678')).toBe('[secret]')
    expect(redactor.text(`<${'x'.repeat(19)}>`)).toBe('<[secret]>')
  })

  it('masks a value without the blanks around it, which a header loses', () => {
    expect(createRedactor([' 12345678\n']).text('<12345678>')).toBe('<[secret]>')
  })

  it('does not mask the beginning of a value, by which the value could be guessed', () => {
    const redactor = createRedactor(['12345678'])
    for (const text of ['a 1234567', 'a 12345', 'a 1234567 b'])
      expect(redactor.text(text)).toBe(text)
  })

  it('does not mask values of fewer than eight characters, and changes nothing else', () => {
    const text = '\ufeff1234567 \u0000 é 😀'
    expect(createRedactor(['1234567', '', '        ']).text(text)).toBe(text)
    expect(createRedactor([]).text(text)).toBe(text)
  })

  it('passes an event of a stream on at once', async () => {
    const events = ['data: {"a":1}\n\n', 'data: sk_live_4\n\n', 'data: [DONE]\n\n']
    expect(await pass(['sk_live_1234567', value], events)).toEqual([...events, ''])
  })

  it('holds back only what can be the beginning of a value', async () => {
    const chunks = ['a s', 'k_li', 'st sk_', 'live_12', '34567', '8 sk_liv']
    const outputs = ['a ', '', 'sk_list ', '', '[secret]', '8 ', 'sk_liv']
    expect(await pass(['sk_live_1234567'], chunks)).toEqual(outputs)
  })

  it('masks bytes that are not text', async () => {
    const { readable, writable } = createRedactor(['12345678']).stream()
    const writer = writable.getWriter()
    void writer.write(Uint8Array.of(0xff, 0xfe, ...encoder.encode('12345678'), 0xc3))
    void writer.close()
    const bytes = Buffer.from(await new Response(readable).arrayBuffer())
    expect(bytes).toEqual(Buffer.from('\xff\xfe[secret]\xc3', 'latin1'))
  })

  it('masks each piece of a long value', () => {
    const long = Array.from({ length: 100 }, (_, index) => index * index).join('')
    const redactor = createRedactor([long])
    expect(redactor.text(`<${long}>`)).toBe('<[secret]>')
    expect(redactor.text(`<${long.slice(0, 300)}>`)).toMatch(/^<\[secret\].{0,31}>$/)
    expect(redactor.text(`<${btoa(long)}>`)).toMatch(/^<\[secret\]=*>$/)
  })

  it.each([1, 2, 3])('masks a value with backslashes in JSON, nested %i times', (levels) => {
    for (const one of [
      'abc\\defgh-12345',
      '\\\\server\\share "é😀"\n',
      `C:\\u0041${'\\'.repeat(40)}/n`,
    ]) {
      let text = one
      for (let level = 0; level < levels; level++)
        text = JSON.stringify(text).replace(/[é😀/]/gu, escape)
      expect(createRedactor([one]).text(text).replace(/[\\"]/g, '')).toBe('[secret]')
    }
  })

  it('does not wait for the end of backslashes that no form of a value has', async () => {
    const backslashes = '\\'.repeat(24)
    const chunks = ['a sk_', backslashes, '\\', ' ']
    const outputs = ['a ', '', '', `sk_${backslashes}\\ `, '']
    expect(await pass(['sk_live_1234567'], chunks)).toEqual(outputs)
  })

  it('counts neither blanks around a value nor its backslashes', () => {
    const text = '< abcdefg > < abc\\def > abcdef'
    expect(createRedactor(['abcdefg  ', ' abc\\\\\\def', 'abcdef  ']).text(text)).toBe(text)
    expect(createRedactor(['abcdefgh  ']).text('<abcdefgh>')).toBe('<[secret]>')
  })

  it.each(['x', 'a\\', '%25', '&amp;', '\\u005c', 'ab+ ', 'é'])(
    'takes linear time when a value and a text repeat %s',
    (text) => {
      const redactor = createRedactor([text.repeat(8192 / text.length)])
      const measure = (length: number): number => {
        const cpuTime = measureCpuTime()
        const masked = redactor.text(text.repeat(length / text.length))
        expect(masked.replace('[secret]', '').length).toBeLessThan(text.length)
        return cpuTime()
      }
      // The least of several runs: a collection of garbage is no part of the work.
      const least = (length: number): number =>
        Math.min(...Array.from({ length: 3 }, () => measure(length)))
      const short = least(5_000)
      expect(least(40_000) / short).toBeLessThan(30)
    },
  )
})

/** Returns the character as some servers write it in JSON. */
function escape(character: string): string {
  if (character === '/') return '\\/'
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
  return `\\u${units.join('\\u')}`
}
