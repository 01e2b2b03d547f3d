import { createRedactor } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { measureCpuTime } from '../support/cpu-time.js'
import { echoForms, isLeaked } from './support/echo-forms.js'
import { passThrough } from './support/pass-through.js'

const value = 'p@ss/w+rd "é" <&\'=> 4'
const encoder = new TextEncoder()

/** Returns what comes out of a stream after each of these texts, and at the end. */
async function pass(values: readonly string[], texts: readonly string[]): Promise<string[]> {
  const outputs = await passThrough(
    createRedactor(values),
    texts.map((text) => encoder.encode(text)),
  )
  return outputs.map(String)
}

describe('createRedactor', () => {
  it.each(Object.entries(echoForms))('masks a value in the form %s', (form, encode) => {
    const output = createRedactor([value]).text(`before ${encode(value)} after`)
    expect(output).toMatch(/^before .*\[secret\].* after$/)
    expect(isLeaked(output, value, form)).toBe(false)
  })

  it.each([
    ['.NET', 'p@ss/w\\u002Brd \\u0022\\u00E9\\u0022 \\u003C\\u0026\\u0027=\\u003E 4'],
    ['PHP', 'p@ss\\/w+rd \\"\\u00e9\\" <&\'=> 4'],
    ['Go', 'p@ss/w+rd \\"é\\" \\u003c\\u0026\'=\\u003e 4'],
    ['encodeURI', encodeURI(value)],
    ['Gson', 'p@ss/w+rd \\"é\\" \\u003c\\u0026\\u0027\\u003d\\u003e 4'],
    ['Python in a URL', 'p%40ss/w%2Brd%20%22%C3%A9%22%20%3C%26%27%3D%3E%204'],
    ['Java in a form', 'p%40ss%2Fw%2Brd+%22%C3%A9%22+%3C%26%27%3D%3E+4'],
    ['Python in HTML', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&#x27;=&gt; 4'],
    ['Handlebars', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&#x27;&#x3D;&gt; 4'],
    ['Go in HTML', 'p@ss/w+rd &#34;é&#34; &lt;&amp;&#39;=&gt; 4'],
    ['PHP in HTML', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&#039;=&gt; 4'],
    ['Mustache', 'p@ss&#x2F;w+rd &quot;é&quot; &lt;&amp;&#39;&#x3D;&gt; 4'],
    ['XML', 'p@ss/w+rd &quot;é&quot; &lt;&amp;&apos;=&gt; 4'],
  ])('masks a value as %s writes it', (_, text) => {
    expect(createRedactor([value]).text(text)).toBe('[secret]')
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

  it('delivers everything up to a line feed, and holds back as much as the longest form has', async () => {
    // The longest form of 15 letters has 30 hexadecimal digits.
    const chunks = [
      'a sk',
      '_live_1',
      'x'.repeat(20),
      '\nsk_li',
      'y\n',
      'sk_live_1234567',
      ' sk_liv',
    ]
    const outputs = [
      ...['', '', 'a ', `sk_live_1${'x'.repeat(20)}\n`, 'sk_liy\n'],
      ...['', '', '[secret] sk_liv'],
    ]
    expect(await pass(['sk_live_1234567'], chunks)).toEqual(outputs)
  })

  it.each([
    [40, 79],
    [2000, 3999],
    [8192, 16_383],
    [8193, 1821],
  ])(
    'holds back, for a value of %i characters, %i bytes of a text without a line feed',
    async (length, held) => {
      const text = 'x'.repeat(20_000)
      const [first = '', rest = ''] = await pass(['k'.repeat(length)], [text])
      expect([first.length, rest.length]).toEqual([20_000 - held, held])
    },
  )

  it('holds back at most 16,383 bytes, whatever the characters of a value are', async () => {
    for (const character of ['é', '😀', '"', "'", '\u0001', '\\', '&', '/', ' a', '\u2028']) {
      const [first = ''] = await pass([character.repeat(9000)], ['x'.repeat(20_000)])
      expect(first.length).toBeGreaterThanOrEqual(20_000 - 16_383)
    }
  })

  it('masks bytes that are not text', async () => {
    const { readable, writable } = createRedactor(['12345678']).stream()
    const writer = writable.getWriter()
    void writer.write(Uint8Array.of(0xff, 0xfe, ...encoder.encode('12345678'), 0xc3))
    void writer.close()
    const bytes = Buffer.from(await new Response(readable).arrayBuffer())
    expect(bytes).toEqual(Buffer.from('\xff\xfe[secret]\xc3', 'latin1'))
  })

  it('masks each line of a value, however they are indented or escaped', () => {
    const lines = ['-----BEGIN KEY-----', 'MIIEvQIBADANBgkq+/hkiG9w', 'AoIBAQC7VJT', 'short']
    const redactor = createRedactor([lines.join('\r\n'), '\tindented line\n\n'])
    const masked = '[secret][secret][secret]short'
    for (const text of [lines.join('\n'), `  ${lines.join('\n\t  ')}`, lines.join('\\r\\n')])
      expect(redactor.text(text).replace(/\s|\\[rn]/g, '')).toBe(masked)
    expect(redactor.text(encodeURIComponent(lines.join('\n')))).toBe(
      masked.replaceAll('][', ']%0A[').replace(']s', ']%0As'),
    )
    expect(redactor.text(btoa(lines.join('\n')))).toMatch(/^(?:\[secret\].{0,5}){3}.{0,12}$/)
    expect(redactor.text('<indented line>')).toBe('<[secret]>')
  })

  it('masks each piece of 1,024 characters of a value with longer forms', () => {
    const long = Array.from({ length: 4000 }, (_, index) => index * index)
      .join('')
      .slice(0, 20_480)
    const redactor = createRedactor([long])
    expect(redactor.text(`<${long}>`)).toBe('<[secret]>')
    expect(redactor.text(`<${long.slice(0, 1030)}>`)).toBe(`<[secret]${long.slice(1024, 1030)}>`)
    expect(redactor.text(`<${long.slice(0, 1023)}>`)).toBe(`<${long.slice(0, 1023)}>`)
    expect(redactor.text(`<${Buffer.from(long).toString('hex')}>`)).toBe('<[secret]>')
    // Between two pieces, a character depends on both.
    expect(redactor.text(`<${btoa(long)}>`)).toMatch(/^<(?:\[secret\].{0,4})+>$/)
  })

  it('counts backslashes, but not blanks around a line', () => {
    const text = '< abcdefg > < ab\\cdef > abcdef'
    expect(createRedactor(['abcdefg  ', ' ab\\cdef', 'abcdef  \n 1234']).text(text)).toBe(text)
    expect(createRedactor(['abcdefgh  ', 'a\\\\\\bcde']).text('<abcdefgh> a\\\\\\bcde')).toBe(
      '<[secret]> [secret]',
    )
  })

  it('lets other work be done after each 64 KiB of a chunk', async () => {
    const { readable, writable } = createRedactor(['12345678']).stream()
    const writer = writable.getWriter()
    let turns = 0
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    void writer.write(new Uint8Array(1_048_576))
    void writer.close()
    await new Response(readable).arrayBuffer()
    clearImmediate(next)
    expect(turns).toBeGreaterThanOrEqual(14)
  })

  it('masks forms once that overlap one which is masked already', async () => {
    const { readable, writable } = createRedactor(['a'.repeat(12)]).stream()
    const text = new Response(readable).text()
    const writer = writable.getWriter()
    for (const digit of '61'.repeat(13)) await writer.write(new TextEncoder().encode(digit))
    await writer.close()
    expect(await text).toBe('[secret]')
  })

  it.each<[string, string]>([
    ['backslashes', `key${'\\'.repeat(400)}`],
    [
      'lines with one beginning',
      Array.from('bcdefghijklmnopqrst0123456789', (one) => `a${one}1234567`).join('\n'),
    ],
    ['characters of four bytes', '😀'.repeat(200)],
    ['short periods', 'ab'.repeat(200)],
    ['entities', '&'.repeat(200)],
  ])('masks every line of a value of %s, and not what only begins like one', (_, value) => {
    const redactor = createRedactor([value])
    for (const line of value.split('\n')) {
      expect(redactor.text(`${line}\n`)).toBe('[secret]\n')
      expect(redactor.text(`${line.slice(0, -2)}~`)).toBe(`${line.slice(0, -2)}~`)
    }
  })

  it.each(['x', 'a\\', '%25', '&amp;', '\\u005c', 'ab+ ', 'é'])(
    'takes linear time when a value and a text repeat %s',
    (text) => {
      const redactor = createRedactor([text.repeat(2048 / text.length)])
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
