import { describe, expect, it } from 'vitest'
import * as here from '../src/errors.js'
import { type ErrorModule, made } from './support/service/errors.js'

/** A second copy of the module, as in a program that loads the package twice. */
const copy: ErrorModule = await import(['../src/errors.js', 'copy'].join('?'))

const { ConflictError, isVaultError, StorageError, VaultError } = here
const classes = Object.entries(here).flatMap(([name, value]) =>
  /^[A-Z]\w+Error$/.test(name) ? [[name, value as typeof VaultError] as const] : [],
)

describe('VaultError: instanceof across copies of the package', () => {
  it('has different classes and prototypes in each copy', () => {
    expect(copy.VaultError).not.toBe(VaultError)
    expect(Object.getPrototypeOf(copy.StorageError.prototype)).not.toBe(VaultError.prototype)
  })

  it.each(made)(
    'matches a %s of either copy only by its class and its base classes',
    (name, make) => {
      const own = new Set([
        name,
        'VaultError',
        ...(name === 'DecryptionError' ? ['StorageError'] : []),
      ])
      for (const error of [make(here), make(copy)]) {
        for (const [className, Class] of classes) {
          const CopiedClass = Reflect.get(copy, className) as typeof VaultError
          expect([className, error instanceof Class, error instanceof CopiedClass]).toEqual([
            className,
            own.has(className),
            own.has(className),
          ])
        }
      }
    },
  )

  it('matches only errors of a subclass when the class is a user-defined subclass', () => {
    class QuotaError extends ConflictError {
      readonly quota = 5
    }
    class LimitError extends QuotaError {}
    const error = new LimitError('no more')
    for (const Class of [
      LimitError,
      QuotaError,
      ConflictError,
      VaultError,
      Error,
      copy.ConflictError,
    ]) {
      expect(error).toBeInstanceOf(Class)
    }
    expect(new QuotaError('no more')).not.toBeInstanceOf(LimitError)
    expect(new ConflictError('taken')).not.toBeInstanceOf(QuotaError)
    expect(new copy.ConflictError('taken')).not.toBeInstanceOf(QuotaError)
    expect(error).toMatchObject({ code: 'CONFLICT', status: 409, name: 'ConflictError' })
    expect(error.toJSON()).toEqual({ status: 409, message: 'no more' })
  })

  it.each([
    undefined,
    null,
    0,
    'VaultError',
    Symbol.for('cofferkit.error'),
    {},
    [],
    () => 0,
    new Error('x'),
    new Proxy({}, {}),
  ])('does not match %o', (value) => {
    expect(isVaultError(value)).toBe(false)
    expect(value instanceof VaultError).toBe(false)
    expect(value instanceof StorageError).toBe(false)
  })

  it('does not match a value that throws when it is inspected', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(isVaultError(proxy)).toBe(false)
    expect(
      isVaultError({
        get [Symbol.for('cofferkit.error')]() {
          throw new Error('no')
        },
      }),
    ).toBe(false)
  })
})
