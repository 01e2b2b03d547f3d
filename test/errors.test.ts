import { inspect } from 'node:util'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  invalidInputError,
  invalidTokenError,
  notFoundError,
  preconditionFailedError,
  undecryptableError,
  vaultNotInScopeError,
} from '../src/base/fixed-errors.js'
import * as here from '../src/errors.js'
import {
  ConflictError,
  DecryptionError,
  type ErrorCode,
  errorStatuses,
  ForbiddenError,
  InvalidInputError,
  isVaultError,
  MethodNotAllowedError,
  NotFoundError,
  publicMessage,
  type ResourceType,
  SecretUseError,
  StorageError,
  type StorageErrorCode,
  StorageUnavailableError,
  TooManyRequestsError,
  VaultError,
} from '../src/errors.js'
import { errorExamples } from './support/service/errors.js'

const id = 'a'.repeat(26)

type AnyError = new (message: string, options?: object) => VaultError

/** The classes that have no instances of their own. */
const abstractClasses = ['VaultError']

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
      if (isVaultError(error)) return error.headers?.['allow']
      return undefined
    }
    expect(narrowed(notFoundError('file', id))).toBe('file')
    expect(narrowed(InvalidInputError.at('title', 'is bad'))).toBe('title')
    expect(narrowed(new MethodNotAllowedError('no', { headers: { allow: 'GET' } }))).toBe('GET')
    expect(narrowed(new ConflictError('taken'))).toBeUndefined()
  })

  it('has every code, and instanceof narrows to the classes that can match', () => {
    class QuotaError extends ConflictError {
      readonly quota = 5
    }
    expectTypeOf<VaultError['code']>().toEqualTypeOf<ErrorCode>()
    expectTypeOf<(VaultError & { code: 'NOT_FOUND' })['resource']>().toEqualTypeOf<
      ResourceType | undefined
    >()
    const check = (error: unknown): void => {
      if (error instanceof VaultError) expectTypeOf(error).toEqualTypeOf<VaultError>()
      if (error instanceof NotFoundError) expectTypeOf(error).toEqualTypeOf<NotFoundError>()
      if (error instanceof QuotaError) expectTypeOf(error).toEqualTypeOf<QuotaError>()
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
    [invalidInputError([{ path: '', message: 'must be an object' }]), 'must be an object'],
    [
      invalidInputError([
        { path: 'a', message: 'is bad' },
        { path: '', message: 'is worse' },
      ]),
      'a is bad; is worse',
    ],
    [
      new InvalidInputError('Invalid item category', {
        issues: [{ path: 'category', message: 'is bad' }],
      }),
      'Invalid item category',
    ],
    [new InvalidInputError('No.'), 'No.'],
    [InvalidInputError.at('a', 'is bad'), 'a is bad'],
    [InvalidInputError.at('', 'must be an object'), 'must be an object'],
    [new InvalidInputError('No.', { issues: [{ path: 'a', message: 'is bad' }] }), 'No.'],
    [invalidTokenError(), 'Invalid bearer token'],
    [vaultNotInScopeError(id), `vault ${id} is not in scope`],
    [vaultNotInScopeError(id, 'read'), `vault ${id} is not in scope for reading`],
    [vaultNotInScopeError(id, 'write'), `vault ${id} is not in scope for writing`],
    [vaultNotInScopeError(id, 'use'), `vault ${id} is not in scope for using`],
    [vaultNotInScopeError(id, 'create'), 'creating vaults is not in scope'],
    [vaultNotInScopeError('my vault'), 'vault is not in scope'],
    [vaultNotInScopeError('a'.repeat(65), 'write'), 'vault is not in scope for writing'],
    [vaultNotInScopeError(id, 'create'), 'creating vaults is not in scope'],
    [new ForbiddenError('the plan has 10 vaults'), 'the plan has 10 vaults'],
    [notFoundError('vault', id), `vault ${id} not found`],
    [notFoundError('file', 'no-id'), 'file no-id not found'],
    [notFoundError('file', '<script>'), 'file not found'],
    [notFoundError('file', 'a'.repeat(65)), 'file not found'],
    [preconditionFailedError('item', id), `item ${id} is not at the expected version`],
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
    expect(inspect(notFoundError('item', id))).toMatch(/^NotFoundError: item a+ not found/)
    expect(String(undecryptableError())).toBe(
      'DecryptionError: the record could not be decrypted: is it the key that it was encrypted with?',
    )
  })
})

describe('the constructor of an error', () => {
  const { InvalidInputError: Invalid, VaultError: _, ...others } = here
  const classes = Object.entries({ ...others, InvalidInputError: Invalid }).flatMap(
    ([name, value]) =>
      /^[A-Z]\w+Error$/.test(name) ? [{ name, create: value as unknown as AnyError }] : [],
  )
  /** What an error of some classes needs besides its message. */
  const needed = { ReconnectRequiredError: { grant: 'a/b', reason: 'refused' } }
  const optionsOf = (name: string): object => ({ ...Reflect.get(needed, name) })

  it.each(classes)('of $name takes the message and then options', ({ name, create: Class }) => {
    const cause = new Error('for the operator')
    const options = { ...optionsOf(name), cause, retryAfterSeconds: 60, headers: { 'X-Plan': 'a' } }
    expect(new Class('your plan allows 3 vaults', options)).toMatchObject({
      message: 'your plan allows 3 vaults',
      ...options,
    })
    const plain = new Class('no', optionsOf(name))
    expect(plain).not.toHaveProperty('headers')
    expect(plain).not.toHaveProperty('retryAfterSeconds')
    expect(plain).not.toHaveProperty('cause')
  })

  it.each(classes)('of $name throws TypeError: message must be a string', ({ name, create }) => {
    for (const message of [undefined, null, 7, [{ path: '', message: 'no' }]])
      expect(() => new create(message as never, optionsOf(name))).toThrow(
        new TypeError('message must be a string'),
      )
  })

  it.each(classes)('of $name rejects options that are not its own', ({ name, create }) => {
    const misspelt = { ...optionsOf(name), retryAfterSecond: 1 }
    expect(() => new create('no', misspelt)).toThrow(
      new TypeError('options.retryAfterSecond is unknown, did you mean retryAfterSeconds?'),
    )
    expect(() => new create('no', 'cause' as never)).toThrow(
      new TypeError('options must be an object'),
    )
  })

  it.each([-1, 31_536_001, Date.now() + 60_000, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws RangeError when retryAfterSeconds is %d',
    (retryAfterSeconds) => {
      expect(() => new TooManyRequestsError('slow down', { retryAfterSeconds })).toThrow(
        new RangeError('options.retryAfterSeconds must be a number from 0 to 31,536,000 seconds'),
      )
    },
  )

  it.each([
    ['a line break in a name', { 'X-A\r\nSet-Cookie': 'a' }, 'has a name that no header can have'],
    ['an empty name', { '': 'a' }, 'has a name that no header can have'],
    ['a line break', { 'X-A': 'a\r\nb' }, '.X-A must be visible ASCII characters and spaces'],
    ['a number', { 'X-A': 7 }, '.X-A must be visible ASCII characters and spaces'],
    ['Content-Type', { 'Content-Type': 'a' }, '.Content-Type is set by the library'],
    ['content-length', { 'content-length': '1' }, '.content-length is set by the library'],
    ['X-Request-Id', { 'X-Request-Id': 'a' }, '.X-Request-Id is set by the library'],
    [
      'Retry-After',
      { 'Retry-After': '1' },
      '.Retry-After cannot be set here: pass retryAfterSeconds',
    ],
    ['no object', 'a: b', ' must be an object'],
  ])('throws TypeError when headers have %s', (_, headers, message) => {
    expect(() => new ForbiddenError('no', { headers: headers as never })).toThrow(
      new TypeError(`options.headers${message.startsWith('.') ? '' : ' '}${message.trimStart()}`),
    )
  })

  it('copies the headers', () => {
    const headers: Record<string, string> = { allow: 'GET' }
    const error = new MethodNotAllowedError('no', { headers })
    headers['allow'] = 'POST'
    expect(error.headers).toEqual({ allow: 'GET' })
  })

  it('has options for what an error carries', () => {
    const record = { collection: 'vaults', id, version: 2 }
    expect(new NotFoundError('no', { resource: 'item', id })).toMatchObject({
      resource: 'item',
      id,
    })
    expect(new SecretUseError('no', { reason: 'ORIGIN' }).reason).toBe('ORIGIN')
    expect(new ConflictError('no', { reason: 'exists' }).reason).toBe('exists')
    expect(new DecryptionError('damaged', { record })).toMatchObject({ record })
    expect(new DecryptionError('damaged')).not.toHaveProperty('record')
    expect(new InvalidInputError('title is bad').issues).toEqual([
      { path: '', message: 'title is bad' },
    ])
    expect(() => new SecretUseError('no', { reason: 'MOOD' as never })).toThrow(TypeError)
  })
})
