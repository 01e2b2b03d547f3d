import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { redactError } from '../../src/base/redact-error.js'

const secret = 'correct horse'

describe('redactError', () => {
  it.each([
    [new Error(secret), 'Error'],
    [
      Object.assign(new TypeError(secret), { code: 'ECONNRESET', detail: secret }),
      'TypeError ECONNRESET',
    ],
    [
      Object.assign(new Error(secret), { code: 'SQLITE_BUSY', cause: new Error(secret) }),
      'Error SQLITE_BUSY',
    ],
    [Object.assign(new Error(secret), { name: secret, code: 23505 }), 'unknown error'],
    [{ code: '23505', detail: `Key (title)=(${secret})` }, '23505'],
    [{ name: 'a'.repeat(61), code: 'a'.repeat(60) }, 'a'.repeat(60)],
    [secret, 'unknown error'],
    [null, 'unknown error'],
    [undefined, 'unknown error'],
    [() => secret, 'unknown error'],
  ])('keeps nothing but the name and the code of %o', (error, message) => {
    const redacted = redactError(error)
    expect(redacted.message).toBe(message)
    expect(redacted).not.toHaveProperty('cause')
    expect(inspect(redacted, { depth: 10, showHidden: true })).not.toContain(secret)
  })

  it('keeps the name of a class that has set none', () => {
    class QuotaError extends Error {}
    expect(redactError(new QuotaError(secret)).message).toBe('QuotaError')
  })

  it('keeps the frames, but no line of the message', () => {
    function findUser(): Error {
      return new Error(`no ${secret}\n    at correct (/horse.js:1:2)`)
    }
    const { stack = '' } = redactError(findUser())
    expect(stack).toMatch(/^Error: Error\n {4}at findUser \(.*redact-error\.test\.ts:\d+:\d+\)\n/)
    expect(stack).not.toMatch(/correct|horse/)
  })

  it('keeps the frames when the message was changed', () => {
    for (const message of [`other ${secret}`, undefined, '']) {
      const error = Object.assign(new Error(secret), { message })
      expect(redactError(error).stack).toMatch(/^Error: Error\n {4}at .*redact-error\.test\.ts/)
      expect(redactError(error).stack).not.toContain(secret)
    }
  })

  it('returns a redacted error unchanged', () => {
    const redacted = redactError(new TypeError(secret))
    expect(redactError(redacted)).toBe(redacted)
  })

  it('returns an error when reading the name throws', () => {
    const hostile = {
      get name() {
        throw new Error(secret)
      },
    }
    expect(redactError(hostile).message).toBe('unknown error')
  })
})
