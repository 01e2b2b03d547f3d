import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  corruptRecordError,
  decodeText,
  encodeText,
  parseStored,
} from '../../../src/core/records/stored-json.js'
import { StorageError } from '../../../src/index.js'

const refusal = {
  code: 'STORAGE_FAILED',
  status: 500,
  message: 'a stored record contains unexpected data',
}

describe('stored JSON', () => {
  it.each(['', 'plain', 'é😀\u202e', '\ufeffbegins with a mark', 'a\nb'])(
    'comes back as the text %j',
    (text) => {
      expect(decodeText(encodeText(text))).toBe(text)
      expect(encodeText(text)).toEqual(new Uint8Array(Buffer.from(text)))
    },
  )

  it.each([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])(
    'is no UTF-8 with the byte %i',
    (...bytes) => {
      expect(() => decodeText(Uint8Array.from([0x61, ...bytes]))).toThrow(
        expect.objectContaining(refusal),
      )
      expect(decodeText(encodeText('and is read again afterwards'))).toContain('afterwards')
    },
  )

  it('is kept as it was stored, with what its schema does not name', () => {
    expect(parseStored(z.object({ a: z.int() }), '{"a":1,"b":2}')).toStrictEqual({ a: 1, b: 2 })
  })

  it.each(['', '{', '{"a":"SECRET"}', 'SECRET', 'null', '\ufeff{"a":1}', '{"a":1}x'])(
    'is not %j, and its error repeats nothing of it',
    (text) => {
      const parse = (): unknown => parseStored(z.object({ a: z.int() }), text)
      expect(parse).toThrow(expect.objectContaining(refusal))
      expect(parse).not.toThrow(/SECRET/)
    },
  )

  it('that cannot be read is a failure of the store', () => {
    expect(corruptRecordError()).toBeInstanceOf(StorageError)
    expect(corruptRecordError()).toMatchObject(refusal)
    expect(corruptRecordError()).not.toHaveProperty('cause')
  })
})
