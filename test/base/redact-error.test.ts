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

  it('returns an error when reading the name throws', () => {
    const hostile = {
      get name() {
        throw new Error(secret)
      },
    }
    expect(redactError(hostile).message).toBe('unknown error')
  })
})
