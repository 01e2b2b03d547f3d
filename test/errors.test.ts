import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { errorStatuses, publicMessage } from '../src/error-codes.js'
import * as here from '../src/errors.js'
import {
  DecryptionError,
  ForbiddenError,
  HttpError,
  InvalidInputError,
  NotFoundError,
  PreconditionFailedError,
  StorageError,
  UnauthorizedError,
} from '../src/errors.js'
import { redactError } from '../src/redact-error.js'
import { made } from './support/service/errors.js'

const id = 'a'.repeat(26)

describe('errorStatuses', () => {
  it('has exactly the codes and statuses of the error classes', () => {
    expect(Object.fromEntries(made.map(([, , code, status]) => [code, status]))).toEqual(
      errorStatuses,
    )
    expect(new Set([...made.map(([name]) => name), 'VaultError'])).toEqual(
      new Set(Object.keys(here).filter((name) => /^[A-Z]\w+Error$/.test(name))),
    )
  })

  it.each(made)('contains the code and the status of %s', (name, make, code, status) => {
    expect(make(here)).toMatchObject({ code, status, name })
    expect(make(here)).toBeInstanceOf(Error)
  })
})

describe('VaultError.toJSON', () => {
  it.each(made)('returns only status and message of a %s', (_name, make, _code, status) => {
    const error = make(here)
    const message = status < 500 ? error.message : publicMessage(status)
    expect(Object.entries(error.toJSON())).toEqual([
      ['status', status],
      ['message', message],
    ])
    expect(JSON.parse(JSON.stringify(error))).toEqual({ status, message })
  })

  it('returns a fixed message for a status of 500 and more', () => {
    expect([500, 503, 507].map(publicMessage)).toEqual([
      'Internal server error',
      'Service temporarily unavailable',
      'Internal server error',
    ])
    expect(new StorageError('disk /var/lib/x is full').toJSON().message).toBe(
      'Internal server error',
    )
  })

  it.each([
    [new InvalidInputError([{ path: '', message: 'must be an object' }]), 'must be an object'],
    [
      new InvalidInputError([
        { path: 'a', message: 'is bad' },
        { path: '', message: 'is worse' },
      ]),
      'a is bad; is worse',
    ],
    [
      new InvalidInputError([{ path: 'category', message: 'is bad' }], 'Invalid item category'),
      'Invalid item category',
    ],
    [InvalidInputError.at('a', 'is bad'), 'a is bad'],
    [InvalidInputError.at('a', 'is bad', 'No.'), 'No.'],
    [new UnauthorizedError(), 'Invalid bearer token'],
    [new ForbiddenError(id), `vault ${id} is not in scope`],
    [new ForbiddenError(id, 'read'), `vault ${id} is not in scope for reading`],
    [new ForbiddenError(id, 'write'), `vault ${id} is not in scope for writing`],
    [new ForbiddenError('my vault'), 'vault is not in scope'],
    [new ForbiddenError('a'.repeat(65), 'write'), 'vault is not in scope for writing'],
    [new NotFoundError('vault', id), `vault ${id} not found`],
    [new NotFoundError('file', 'no-id'), 'file no-id not found'],
    [new NotFoundError('file', '<script>'), 'file not found'],
    [new NotFoundError('file', 'a'.repeat(65)), 'file not found'],
    [new PreconditionFailedError(id), `item ${id} is not at the expected version`],
  ])('returns the message of %s', (error, message) => {
    expect(error.toJSON().message).toBe(message)
  })
})

describe('VaultError', () => {
  it('has a cause, which is not in its JSON', () => {
    const cause = redactError(Object.assign(new Error('secret'), { code: 'EIO' }))
    const error = new StorageError('broken', { cause })
    expect(error.cause).toBe(cause)
    expect(JSON.stringify(error)).not.toContain('EIO')
    expect(new StorageError('broken')).not.toHaveProperty('cause')
  })

  it('has the name of its class when it is printed', () => {
    expect(inspect(new NotFoundError('item', id))).toMatch(/^NotFoundError: item a+ not found/)
    expect(String(new DecryptionError())).toBe('DecryptionError: the record could not be opened')
  })

  it('has the headers of its response when it is an HttpError', () => {
    expect(
      new HttpError('METHOD_NOT_ALLOWED', 'no', { headers: { allow: 'GET' } }).headers,
    ).toEqual({ allow: 'GET' })
    expect(new HttpError('ROUTE_NOT_FOUND', 'no').headers).toEqual({})
  })
})

describe('redactError', () => {
  const secret = 'correct horse'

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
  ])('keeps at most the name and the code of %o', (error, message) => {
    const redacted = redactError(error)
    expect(redacted.message).toBe(message)
    expect(redacted).not.toHaveProperty('cause')
    expect(inspect(redacted, { depth: 10, showHidden: true })).not.toContain(secret)
  })

  it('returns an unknown error when a member throws', () => {
    const hostile = {
      get name() {
        throw new Error(secret)
      },
    }
    expect(redactError(hostile).message).toBe('unknown error')
  })
})
