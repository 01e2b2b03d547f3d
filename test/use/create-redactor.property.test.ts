import { createRedactor } from 'cofferkit/use'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { echoForms, isLeaked } from './support/echo-forms.js'
import { passThrough } from './support/pass-through.js'

const alphabet = fc.constantFrom(...'abcXYZ019+/=_-. "\'\\<>&%{}:;éß€😀\n')
/** Values whose lines are masked: a shorter one can have the same eight characters as another. */
const values = fc.string({ unit: alphabet, minLength: 8, maxLength: 60 }).filter((value) => {
  const lengths = value.split('\n').map((line) => line.trim().length)
  return lengths.every((length) => length === 0 || length >= 8) && Math.max(...lengths) >= 8
})

/** A value, a form, what surrounds it, and where the stream is divided. */
interface Echo {
  readonly value: string
  readonly form: string
  readonly before: string
  readonly after: string
  readonly sizes: readonly number[]
}

const context = fc.record({ text: fc.string({ unit: alphabet }), repeated: fc.nat(4) })
const echoes: fc.Arbitrary<Echo> = fc
  .record({
    value: values,
    form: fc.constantFrom(...Object.keys(echoForms)),
    contexts: fc.tuple(context, context),
    sizes: fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 8 }),
  })
  .map(({ contexts, ...echo }) => {
    // Up to four characters of the value next to it confuse a search that starts again.
    const [before = '', after = ''] = contexts.map(
      ({ text, repeated }) => text + echo.value.slice(0, repeated),
    )
    return { ...echo, before, after }
  })

/** Masks the chunks of a stream. */
type Mask = (value: string, chunks: readonly Uint8Array[]) => Promise<string>

const maskStream: Mask = async (value, chunks) => {
  const { readable, writable } = createRedactor([value]).stream()
  const text = new Response(readable).text()
  const writer = writable.getWriter()
  for (const chunk of chunks) await writer.write(chunk)
  await writer.close()
  return text
}

/** Returns the bytes in chunks of these sizes, again and again. */
function divide(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let start = 0; start < bytes.length; start += chunks.at(-1)?.length ?? 1)
    chunks.push(bytes.subarray(start, start + Number(sizes[chunks.length % sizes.length])))
  return chunks
}

/** Counts the streams in which a value is still found. */
async function countLeaks(mask: Mask, runs: number): Promise<number> {
  let leaks = 0
  const law = fc.asyncProperty(echoes, async ({ value, form, before, after, sizes }) => {
    const echoed = String(echoForms[form]?.(value))
    const whole = new TextEncoder().encode(before + echoed + after)
    const output = await mask(value, divide(whole, sizes))
    if (isLeaked(output, value, form)) leaks++
  })
  await fc.assert(law, { numRuns: runs })
  return leaks
}

/** Masks every occurrence of values, which overlap or touch in one mask, by comparing each place. */
function maskSlowly(list: readonly string[], text: string): string {
  const isMasked = Array.from(text, () => false)
  for (const value of list)
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + 1))
      isMasked.fill(true, start, start + value.length)
  return Array.from(text, (character, index) => {
    if (!isMasked[index]) return character
    return isMasked[index - 1] ? '' : '[secret]'
  }).join('')
}

describe('createRedactor in random streams', () => {
  it('leaves no value in any form, in chunks of any size', async () => {
    expect(await countLeaks(maskStream, propertyRuns(2000))).toBe(0)
  })

  it('masks exactly where values are, in chunks of any size', async () => {
    const text = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom('x', 'y'), minLength, maxLength })
    const list = fc.array(text(8, 11), { minLength: 1, maxLength: 4 })
    const texts = fc.array(fc.oneof(text(0, 30), fc.constant('\n')), { maxLength: 6 })
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    const law = fc.asyncProperty(list, texts, sizes, async (some, parts, lengths) => {
      const whole = parts.join('') + some.join('y')
      const { readable, writable } = createRedactor(some).stream()
      const output = new Response(readable).text()
      const writer = writable.getWriter()
      for (const chunk of divide(new TextEncoder().encode(whole), lengths))
        await writer.write(chunk)
      await writer.close()
      expect(await output).toBe(maskSlowly(some, whole))
    })
    await fc.assert(law, { numRuns: propertyRuns() })
  })

  it('delivers as many bytes at the same time for the beginning of a value as for others', async () => {
    const inner = values.filter((value) => !value.includes('\n'))
    const form = fc.constantFrom(...Object.keys(echoForms))
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 })
    const law = fc.asyncProperty(
      inner,
      form,
      fc.double({ max: 1, min: 0, noNaN: true }),
      sizes,
      async (value, name, part, lengths) => {
        const whole = Buffer.from(String(echoForms[name]?.(value.trim())))
        const right = whole.subarray(0, Math.floor((whole.length - 1) * part))
        // A byte that no form has.
        const wrong = Buffer.alloc(right.length, 0x7f)
        const outputs = [right, wrong].map(async (guess) => {
          const chunks = divide(
            Buffer.concat([Buffer.from('a\nb'), guess, Buffer.from(' c')]),
            lengths,
          )
          const [...delivered] = await passThrough(createRedactor([value]), chunks)
          return delivered.map(({ length }) => length)
        })
        const [first, second] = await Promise.all(outputs)
        // The beginning of base64 or of hexadecimal digits can have another form in it.
        if (String(await maskStream(value, [right])) === right.toString())
          expect(first).toEqual(second)
      },
    )
    await fc.assert(law, { numRuns: propertyRuns(200) })
  })

  it.each<[string, Mask]>([
    [
      'masks each chunk by itself',
      async (value, chunks) =>
        chunks.map((chunk) => createRedactor([value]).text(Buffer.from(chunk).toString())).join(''),
    ],
    [
      'knows the plain value only',
      async (value, chunks) => Buffer.concat(chunks).toString().replaceAll(value, '[secret]'),
    ],
  ])('finds a leak when a redactor %s', async (_, mask) => {
    expect(await countLeaks(mask, 400)).toBeGreaterThan(0)
  })
})
