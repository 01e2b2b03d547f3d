/** The base class of all errors of the library. */

import { type ErrorBody, type ErrorCode, errorStatuses, publicMessage } from '../error-codes.js'
import { safeGet } from '../safe-get.js'

/** The same symbol in every copy of the package. */
const brand = Symbol.for('cofferkit.error')

/**
 * The base class of all errors of the library. `instanceof` also recognizes an error of another
 * copy of the package, such as its CommonJS build.
 */
export abstract class VaultErrorBase<Code extends ErrorCode = ErrorCode> extends Error {
  static {
    Object.defineProperty(this, 'name', { value: 'VaultError' })
  }
  /** The name of the class, the same in every copy of the package and after minification. */
  static readonly kind: string = 'VaultError'
  /** Identifies the error. Codes are stable, messages are not. */
  readonly code: Code
  /** The HTTP status of the code, 400 to 599. */
  readonly status: number

  protected constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = errorStatuses[code]
    Object.defineProperty(this, 'name', { value: new.target.kind })
    Object.defineProperty(this, brand, { value: classChain(new.target) })
  }

  /**
   * Checks whether a value is an error of this class, or of the same class in another copy of the
   * package.
   * @returns True also for an error of a class that extends this class.
   */
  static override [Symbol.hasInstance]<Instance>(
    this: { readonly prototype: Instance; readonly kind: string },
    value: unknown,
  ): value is Instance {
    // A class of the user inherits `kind`, so it is recognized by its prototype alone.
    return Object.hasOwn(this, 'kind')
      ? classNamesOf(value).includes(this.kind)
      : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /**
   * Returns the error as a client may read it.
   * @returns From status 500 up a fixed sentence instead of the message.
   */
  toJSON(): ErrorBody {
    return {
      status: this.status,
      message: this.status < 500 ? this.message : publicMessage(this.status),
    }
  }
}

/**
 * Returns the names of an error's class and of the classes of the library that it extends.
 * @returns An empty array if `value` is not an error of the library.
 */
export function classNamesOf(value: unknown): readonly string[] {
  const names = safeGet(value, brand)
  return Array.isArray(names) ? names : []
}

function classChain(errorClass: typeof VaultErrorBase): readonly string[] {
  const { kind } = errorClass
  return errorClass === VaultErrorBase
    ? [kind]
    : [kind, ...classChain(Object.getPrototypeOf(errorClass))]
}
