import { describe, expect, it, vi } from 'vitest'
import * as here from '../src/errors.js'
import { type ErrorModule, errorExamples } from './support/service/errors.js'

/** Another copy of the module, as in a program that loads the package twice. */
vi.resetModules()
const copy: ErrorModule = await import('../src/errors.js')

/** The right side of `instanceof`. */
interface Class {
  [Symbol.hasInstance](value: unknown): boolean
}

const { ConflictError, isVaultError, StorageError, VaultError } = here
const classes = classesOf(here)
const copiedClasses = new Map(classesOf(copy))

const storageErrors = ['StorageUnavailableError', 'ActivityUnavailableError', 'DecryptionError']

describe('instanceof', () => {
  it('cannot rely on prototypes across copies of the package', () => {
    expect(copy.VaultError).not.toBe(VaultError)
    expect(Object.getPrototypeOf(copy.StorageError.prototype)).not.toBe(VaultError.prototype)
  })

  it.each(errorExamples)(
    'recognizes a %s of either copy by its class and the classes that it extends, and by no other',
    (name, make) => {
      const own = new Set([
        name,
        'VaultError',
        ...(storageErrors.includes(name) ? ['StorageError'] : []),
      ])
      for (const error of [make(here), make(copy)]) {
        for (const [className, Class] of classes) {
          const CopiedClass = copiedClasses.get(className) ?? Error
          expect([className, error instanceof Class, error instanceof CopiedClass]).toEqual([
            className,
            own.has(className),
            own.has(className),
          ])
        }
      }
    },
  )

  it('recognizes only its own errors for a class of the user', () => {
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
  ])('is false for %o', (value) => {
    expect(isVaultError(value)).toBe(false)
    expect(value instanceof VaultError).toBe(false)
    expect(value instanceof StorageError).toBe(false)
  })

  it('is false when reading the value throws', () => {
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

function classesOf(module: ErrorModule): readonly (readonly [string, Class])[] {
  return Object.entries(module).flatMap(([name, value]) =>
    /^[A-Z]\w+Error$/.test(name) && typeof value === 'function' ? [[name, value] as const] : [],
  )
}
