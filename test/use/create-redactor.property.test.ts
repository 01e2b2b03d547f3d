import { createRedactor } from 'cofferkit/use'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { echoForms, isLeaked } from './support/echo-forms.js'

const alphabet = fc.constantFrom(...'abcXYZ019+/=_-. "\'\\<>&%{}:;éß€😀\n')
const values = fc
  .string({ unit: alphabet, minLength: 8, maxLength: 60 })
  .filter((value) => value.replaceAll('\\', '').trim().length >= 8)

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

/** The escapes of a character, of which a text can mix any. */
const escapes: readonly ((character: string) => string)[] = [
  (character) => character,
  encodeURIComponent,
  (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  (character) => `&#${character.codePointAt(0)};`,
  (character) => `&#X${character.codePointAt(0)?.toString(16)};`,
  (character) =>
    character.replace(
      /[&<>"']/,
      (one) =>
        ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[one] ?? one,
    ),
  (character) => character.replace(' ', '+'),
  ...[1, 2, 3].flatMap((levels) => [
    (character: string) => repeat(levels, (text) => JSON.stringify(text).slice(1, -1), character),
    (character: string) =>
      repeat(levels - 1, (text) => JSON.stringify(text).slice(1, -1), toUnits(character)),
  ]),
]

function toUnits(text: string): string {
  return text
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}

function repeat(count: number, change: (text: string) => string, text: string): string {
  return count === 0 ? text : repeat(count - 1, change, change(text))
}

describe('createRedactor in random streams', () => {
  it('masks a value of which each character has another escape, in chunks of any size', async () => {
    const choices = fc.array(fc.nat(escapes.length - 1), { minLength: 1, maxLength: 60 })
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })
    // Backslashes at the end are not masked.
    const inner = values.filter((value) => !value.endsWith('\\'))
    const law = fc.asyncProperty(inner, choices, sizes, async (value, chosen, lengths) => {
      const characters = [...value].map((character, index) =>
        escapes[Number(chosen[index % chosen.length])]?.(character),
      )
      const bytes = new TextEncoder().encode(`<${characters.join('')}>`)
      const output = await maskStream(value, divide(bytes, lengths))
      expect(output).toBe('<[secret]>')
    })
    await fc.assert(law, { numRuns: propertyRuns(10_000) })
  })

  it('leaves no value in any form, in chunks of any size', async () => {
    expect(await countLeaks(maskStream, propertyRuns(20_000))).toBe(0)
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
