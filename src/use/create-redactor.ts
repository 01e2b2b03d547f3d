/** Masks values in texts and streams. */

import { argumentError } from '../base/argument.js'
import { concatBytes } from '../base/concat-bytes.js'
import { createPacer } from '../base/pacer.js'
import { createMasker, createTree } from './create-masker.js'
import { toForms } from './to-forms.js'

const encoder = new TextEncoder()

/** The bytes of a stream that are masked before other work can be done. */
const stretchBytes = 65_536
/** A shorter chunk counts as this many bytes, because every chunk costs a stream some work. */
const minChunkBytes = 64

/** Replaces values by `[secret]`. */
export interface Redactor {
  /** Returns the string with the values masked. */
  text(input: string): string
  /**
   * Creates a stream that masks the values in the bytes that pass through it, even if a value is
   * split between chunks. Everything up to the last line feed is passed on at once. After it, the
   * stream holds back one byte less than the longest form of the values has, at most 16,383 bytes.
   * This does not depend on the content of the bytes. Other work gets a turn after every 64 KiB.
   */
  stream(): TransformStream<Uint8Array, Uint8Array>
}

/**
 * Creates a redactor of values. It masks each line of a value in these forms: unchanged; in JSON,
 * as JavaScript, Python, PHP, Go, Gson and .NET write it; percent-encoded, in upper or lower case,
 * and with `+` for spaces; escaped for HTML; in base64 and base64url, at any position; in
 * hexadecimal digits of one case. Other forms, and mixtures of these, are not masked. Neither is
 * the beginning of a value, because otherwise anyone whose own text is echoed could guess a value,
 * one character at a time. The time is proportional to the length of the input.
 * @param values - The values. A line of fewer than eight characters, not counting the spaces around
 * it, is not masked.
 * @throws TypeError if `values` is not an iterable of strings, or if it is a string.
 * @example
 * createRedactor(['correct horse']).text('it is correct%20horse') // 'it is [secret]'
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const expected = 'an iterable of strings'
  const isIterable = typeof Object(values)[Symbol.iterator] === 'function'
  if (!isIterable || typeof values === 'string') throw argumentError(values, 'values', expected)
  const list = [...values]
  for (const value of list)
    if (typeof value !== 'string') throw argumentError(value, 'values', expected)
  const { text, stream } = createByteRedactor(list)
  return { text, stream }
}

/** A redactor that also masks bytes that are not text. */
export interface ByteRedactor extends Redactor {
  bytes(input: Uint8Array): Uint8Array
  /** Masks the bytes of chunks as `stream` does. */
  chunks(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void>
  /** The bytes of all forms. A redactor takes about 16 times as much memory. */
  readonly formBytes: number
  /** Returns true if a lowercase string contains a form of a value, ignoring the value's case. */
  isInLowerCase(text: string): boolean
}

/** Creates a redactor as `createRedactor` does. */
export function createByteRedactor(values: readonly string[]): ByteRedactor {
  const forms = toForms(values)
  const tree = createTree(forms)
  function bytes(input: Uint8Array): Uint8Array {
    const masker = createMasker(tree)
    return concatBytes([masker.push(input), masker.end()])
  }
  /** Returns functions that mask the next chunk, and the end. Neither yields empty arrays. */
  function createStretches() {
    const masker = createMasker(tree)
    const pace = createPacer(stretchBytes)
    return {
      async *push(chunk: Uint8Array): AsyncGenerator<Uint8Array, void> {
        for (let start = 0; start < chunk.length; start += stretchBytes) {
          const part = chunk.subarray(start, start + stretchBytes)
          await pace(Math.max(part.length, minChunkBytes))
          const masked = masker.push(part)
          if (masked.length > 0) yield masked
        }
      },
      *end(): Generator<Uint8Array, void> {
        const masked = masker.end()
        if (masked.length > 0) yield masked
      },
    }
  }
  return {
    bytes,
    formBytes: tree.size,
    isInLowerCase: (text) => forms.some((form) => text.includes(form.toLowerCase())),
    text: (input) =>
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(encoder.encode(input))),
    async *chunks(input) {
      const stretches = createStretches()
      for await (const chunk of input) yield* stretches.push(chunk)
      yield* stretches.end()
    },
    stream() {
      const stretches = createStretches()
      return new TransformStream({
        async transform(chunk, controller) {
          for await (const masked of stretches.push(chunk)) controller.enqueue(masked)
        },
        flush(controller) {
          for (const masked of stretches.end()) controller.enqueue(masked)
        },
      })
    },
  }
}
