import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  corruptRecordError,
  decodeText,
  encodeText,
  parseRecord,
  parseStored,
} from '../../../src/core/records/stored-json.js'
import { StorageError } from '../../../src/index.js'

const storageError = {
  code: 'STORAGE_FAILED',
  status: 500,
  message: 'a stored record contains unexpected data',
}

describe('decodeText', () => {
  it.each(['', 'plain', 'é😀\u202e', '\ufeffbegins with a BOM', 'a\nb'])(
    'reverses encodeText for %j',
    (text) => {
      expect(decodeText(encodeText(text))).toBe(text)
      expect(encodeText(text)).toEqual(new Uint8Array(Buffer.from(text)))
    },
  )

  it.each([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]])(
    'throws StorageError for the invalid UTF-8 byte %i',
    (...bytes) => {
      expect(() => decodeText(Uint8Array.from([0x61, ...bytes]))).toThrow(
        expect.objectContaining(storageError),
      )
      expect(decodeText(encodeText('and is usable afterwards'))).toContain('afterwards')
    },
  )
})

describe('parseStored', () => {
  it('keeps members that the schema does not name', () => {
    expect(parseStored(z.object({ a: z.int() }), '{"a":1,"b":2}')).toStrictEqual({ a: 1, b: 2 })
  })

  it.each(['', '{', '{"a":"SECRET"}', 'SECRET', 'null', '\ufeff{"a":1}', '{"a":1}x'])(
    'throws for %j without repeating it',
    (text) => {
      const parse = (): unknown => parseStored(z.object({ a: z.int() }), text)
      expect(parse).toThrow(expect.objectContaining(storageError))
      expect(parse).not.toThrow(/SECRET/)
    },
  )
})

describe('corruptRecordError', () => {
  it('returns a StorageError without a cause', () => {
    expect(corruptRecordError()).toBeInstanceOf(StorageError)
    expect(corruptRecordError()).toMatchObject(storageError)
    expect(corruptRecordError()).not.toHaveProperty('cause')
  })
})

describe('parseRecord', () => {
  it('throws an error of the parser that says nothing about the record', () => {
    const error = new TypeError('a bug')
    const record = { version: 1, body: encodeText('{}') }
    const parse = (): never => {
      throw error
    }
    expect(() => parseRecord({ collection: 'items/v', id: 'a' }, record, parse)).toThrow(error)
  })
})
