/** Masks values in texts and streams. */

import { assertArgument } from '../base/assert-argument.js'
import { concatBytes } from '../base/concat-bytes.js'
import { createMasker, createTree } from './create-masker.js'
import { countBackslashes, toPieces } from './to-pieces.js'

const encoder = new TextEncoder()

/** The bytes of a backslash in a text of JSON in JSON in JSON, eight backslashes, as `%5c`. */
const maxBackslashBytes = 24

/** Replaces values by `[secret]`. */
export interface Redactor {
  /** Returns the text with the values masked. */
  text(input: string): string
  /**
   * Creates a stream that masks the values in the bytes that pass through it, also where they are
   * divided among chunks. It holds back only bytes that can be the beginning of a value.
   */
  stream(): TransformStream<Uint8Array, Uint8Array>
}

/**
 * Creates a redactor of values, in every form in which they are usually sent back: plain; in JSON,
 * with and without escapes of `/` and of other characters, up to JSON in JSON in JSON; in URLs, with
 * escapes in both cases and with `+` for blanks; in base64, at any position, and in base64url; in
 * hexadecimal digits in both cases; with HTML entities. Of a value of more than 32 characters, each
 * of the pieces into which it is divided is masked, also alone. The beginning of a value is not
 * masked: otherwise who can have their own text sent back could guess a value by its masks, one
 * character at a time. The time is proportional to the length of the input.
 * @param values - The values. One of fewer than eight characters is not masked, where blanks at its
 * ends and backslashes are not counted.
 * @throws TypeError if `values` is not an iterable of strings, or if it is a string.
 * @example
 * createRedactor(['correct horse']).text('it is correct%20horse') // 'it is [secret]'
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const expected = 'an iterable of strings'
  const isIterable = typeof Object(values)[Symbol.iterator] === 'function'
  assertArgument(isIterable && typeof values !== 'string', 'values', expected)
  const list = [...values]
  assertArgument(
    list.every((value) => typeof value === 'string'),
    'values',
    expected,
  )
  return createByteRedactor(list)
}

/** A redactor that also masks bytes which are not text. */
export interface ByteRedactor extends Redactor {
  bytes(input: Uint8Array): Uint8Array
}

/** Creates a redactor as `createRedactor` does. */
export function createByteRedactor(values: readonly string[]): ByteRedactor {
  // A character after backslashes can have backslashes of its own.
  const tree = createTree(toPieces(values), maxBackslashBytes * (countBackslashes(values) + 1))
  function bytes(input: Uint8Array): Uint8Array {
    const masker = createMasker(tree)
    return concatBytes([masker.push(input), masker.end()])
  }
  return {
    bytes,
    text: (input) =>
      new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes(encoder.encode(input))),
    stream() {
      const masker = createMasker(tree)
      const pass = (
        bytes: Uint8Array,
        controller: TransformStreamDefaultController<Uint8Array>,
      ): void => {
        if (bytes.length > 0) controller.enqueue(bytes)
      }
      return new TransformStream({
        transform: (chunk, controller) => pass(masker.push(chunk), controller),
        flush: (controller) => pass(masker.end(), controller),
      })
    },
  }
}
