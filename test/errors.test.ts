import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import * as here from '../src/errors.js'
import {
  ConflictError,
  DecryptionError,
  type ErrorCode,
  errorStatuses,
  ForbiddenError,
  HttpError,
  type HttpErrorCode,
  InvalidInputError,
  isVaultError,
  MethodNotAllowedError,
  NotFoundError,
  PreconditionFailedError,
  publicMessage,
  type ResourceType,
  RouteNotFoundError,
  StorageError,
  type StorageErrorCode,
  StorageUnavailableError,
  UnauthorizedError,
  VaultError,
} from '../src/errors.js'
import { errorExamples } from './support/service/errors.js'

const id = 'a'.repeat(26)

/** The classes that have no instances of their own. */
const abstractClasses = ['VaultError', 'HttpError']

describe('errorStatuses', () => {
  it('has the code and the status of every class, and each class has one code', () => {
    expect(Object.fromEntries(errorExamples.map(([, , code, status]) => [code, status]))).toEqual(
      errorStatuses,
    )
    const classes = Object.keys(here).filter((name) => /^[A-Z]\w+Error$/.test(name))
    expect([...errorExamples.map(([name]) => name), ...abstractClasses].sort()).toEqual(
      classes.sort(),
    )
  })

  it.each(errorExamples)('has the code and the status of %s', (name, make, code, status) => {
    expect(make(here)).toMatchObject({ code, status, name })
    expect(make(here)).toBeInstanceOf(Error)
    expect(make(here).constructor.name).toBe(name)
  })
})

describe('VaultError', () => {
  it('has the name under which it is exported', () => {
    expect(VaultError.name).toBe('VaultError')
  })

  it('is a union that code narrows to the class of the error', () => {
    const narrowed = (error: unknown): string | undefined => {
      if (isVaultError(error) && error.code === 'NOT_FOUND') return error.resource
      if (error instanceof VaultError && error.code === 'INVALID_INPUT')
        return error.issues[0]?.path
      if (error instanceof HttpError) return error.headers['allow']
      return undefined
    }
    expect(narrowed(new NotFoundError('file', id))).toBe('file')
    expect(narrowed(InvalidInputError.at('title', 'is bad'))).toBe('title')
    expect(narrowed(new MethodNotAllowedError('no', { headers: { allow: 'GET' } }))).toBe('GET')
    expect(narrowed(new ConflictError('taken'))).toBeUndefined()
  })

  it('has every code, and instanceof narrows to the classes that can match', () => {
    class QuotaError extends ConflictError {
      readonly quota = 5
    }
    expectTypeOf<VaultError['code']>().toEqualTypeOf<ErrorCode>()
    expectTypeOf<(VaultError & { code: 'NOT_FOUND' })['resource']>().toEqualTypeOf<ResourceType>()
    const check = (error: unknown): void => {
      if (error instanceof VaultError) expectTypeOf(error).toEqualTypeOf<VaultError>()
      if (error instanceof NotFoundError) expectTypeOf(error).toEqualTypeOf<NotFoundError>()
      if (error instanceof QuotaError) expectTypeOf(error).toEqualTypeOf<QuotaError>()
      if (error instanceof HttpError) expectTypeOf(error.code).toEqualTypeOf<HttpErrorCode>()
      if (error instanceof StorageError) expectTypeOf(error.code).toEqualTypeOf<StorageErrorCode>()
      if (error instanceof StorageUnavailableError)
        expectTypeOf(error.code).toEqualTypeOf<'STORAGE_UNAVAILABLE'>()
    }
    for (const [, make] of errorExamples) expect(() => check(make(here))).not.toThrow()
  })
})

describe('toJSON', () => {
  it.each(errorExamples)(
    'returns the status and the message of %s',
    (_name, make, _code, status) => {
      const error = make(here)
      const message = status < 500 ? error.message : publicMessage(status)
      expect(Object.entries(error.toJSON())).toEqual([
        ['status', status],
        ['message', message],
      ])
      expect(JSON.parse(JSON.stringify(error))).toEqual({ status, message })
    },
  )

  it('returns a fixed sentence from status 500 up', () => {
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
    [new ForbiddenError(id, 'create'), 'creating vaults is not in scope'],
    [new ForbiddenError('my vault'), 'vault is not in scope'],
    [new ForbiddenError('a'.repeat(65), 'write'), 'vault is not in scope for writing'],
    [new ForbiddenError(id, 'create'), 'creating vaults is not in scope'],
    [ForbiddenError.because('the plan has 10 vaults'), 'the plan has 10 vaults'],
    [new NotFoundError('vault', id), `vault ${id} not found`],
    [new NotFoundError('file', 'no-id'), 'file no-id not found'],
    [new NotFoundError('file', '<script>'), 'file not found'],
    [new NotFoundError('file', 'a'.repeat(65)), 'file not found'],
    [new PreconditionFailedError(id), `item ${id} is not at the expected version`],
  ])('returns the message of %s', (error, message) => {
    expect(error.toJSON().message).toBe(message)
  })
})

describe('StorageError', () => {
  it('keeps its cause out of JSON', () => {
    const cause = new Error('EIO')
    const error = new StorageError('broken', { cause })
    expect(error.cause).toBe(cause)
    expect(JSON.stringify(error)).not.toContain('EIO')
    expect(new StorageError('broken')).not.toHaveProperty('cause')
  })

  it('is printed with its name and message', () => {
    expect(inspect(new NotFoundError('item', id))).toMatch(/^NotFoundError: item a+ not found/)
    expect(String(new DecryptionError())).toBe(
      'DecryptionError: the record could not be decrypted: is it the key that it was encrypted with?',
    )
  })
})

describe('HttpError', () => {
  it('has the headers of the response, or none', () => {
    expect(new MethodNotAllowedError('no', { headers: { allow: 'GET' } }).headers).toEqual({
      allow: 'GET',
    })
    expect(new RouteNotFoundError().headers).toEqual({})
  })
})
