import { describe, expect, it } from 'vitest'
import { isErrorCode, isErrorWord } from '../../src/base/error-code.js'

describe('isErrorWord', () => {
  it.each(['E', 'SqliteError', '42P01', 'ER_DUP_ENTRY', 'a'.repeat(60)])(
    'returns true for %s',
    (word) => {
      expect(isErrorWord(word)).toBe(true)
    },
  )

  it.each(['', 'a b', 'a-b', 'a'.repeat(61), 'ä', 'E\n', 42, undefined])(
    'returns false for %j',
    (word) => {
      expect(isErrorWord(word)).toBe(false)
    },
  )
})

describe('isErrorCode', () => {
  it.each(['ECONNREFUSED', 'UND_ERR_SOCKET', 'H2', 'A'.repeat(60)])(
    'returns true for %s',
    (code) => {
      expect(isErrorCode(code)).toBe(true)
    },
  )

  it.each(['', 'E', '42P01', '_A', 'econnrefused', 'E-A', 'A'.repeat(61), 'EA\n', 42, undefined])(
    'returns false for %j',
    (code) => {
      expect(isErrorCode(code)).toBe(false)
    },
  )
})
