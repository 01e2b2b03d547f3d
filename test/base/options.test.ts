import { describe, expect, it } from 'vitest'
import { callback, integer, like, list, oneOf, text } from '../../src/base/argument.js'
import { defineOptions, nested, type OptionKinds, optional } from '../../src/base/options.js'

interface RetryOptions {
  readonly maxAttempts?: number | undefined
}

interface MailOptions {
  readonly server: { readonly host: string }
  readonly priority?: 'low' | 'high' | undefined
  readonly sizes?: readonly number[] | undefined
  readonly retry?: RetryOptions | undefined
  readonly onError?: ((error: Error) => string) | undefined
}

const retryOptions = defineOptions({
  maxAttempts: optional(integer({ min: 1 }), 32),
} satisfies OptionKinds<RetryOptions>)

const kinds = {
  server: like<MailOptions['server']>({ host: '' }),
  priority: optional(oneOf('low', 'high'), 'low'),
  sizes: optional(list('a list of sizes', integer({ min: 0 }))),
  retry: nested(retryOptions),
  onError: optional(callback()),
} satisfies OptionKinds<MailOptions>

const mailOptions = defineOptions(kinds)
const server = { host: 'localhost' }

/** The message for options that the types do not allow. */
function messageOf(options: unknown): string {
  try {
    mailOptions.read(options as MailOptions)
    return 'nothing was thrown'
  } catch (error) {
    return String(error)
  }
}

describe('defineOptions', () => {
  it('returns the options with their defaults', () => {
    const given: MailOptions = { server, sizes: [1, 2] }
    const { sizes, priority, retry, onError } = mailOptions.read(given)
    const inferred: { priority: 'low' | 'high'; maxAttempts: number } = { priority, ...retry }
    expect(inferred).toEqual({ priority: 'low', maxAttempts: 32 })
    expect([sizes, onError]).toEqual([[1, 2], undefined])
  })

  it('keeps the object of a method, which can inherit it', () => {
    class Mail implements MailOptions {
      readonly server = server
      onError(error: Error): string {
        return `${this.server.host}: ${error.message}`
      }
    }
    const { onError } = mailOptions.read(new Mail())
    expect(onError?.(new Error('lost'))).toBe('localhost: lost')
  })

  it.each([
    [{ priorty: 'low', server }, 'TypeError: options.priorty is unknown, did you mean priority?'],
    [{ server, '\u00e4 <': 1 }, 'TypeError: options.??? is unknown'],
    [
      { server, sizes: [1, -1] },
      'RangeError: options.sizes[1] must be a whole number of 0 or more',
    ],
    [{ server, sizes: ['1'] }, 'TypeError: options.sizes[0] must be a whole number of 0 or more'],
    [
      { server, retry: { maxAttempts: 0 } },
      'RangeError: options.retry.maxAttempts must be a whole number of 1 or more',
    ],
    [{ server, retry: null }, 'TypeError: options.retry must be an object'],
    [{}, 'TypeError: options.server must be an object with host'],
    [null, 'TypeError: options must be an object'],
    [Promise.resolve({ server }), 'TypeError: options is a promise: is await missing?'],
    [
      { server: Promise.resolve(server) },
      'TypeError: options.server is a promise: is await missing?',
    ],
    [
      { server, sizes: Promise.resolve([]) },
      'TypeError: options.sizes is a promise: is await missing?',
    ],
    [server, 'TypeError: options is an object with host: pass { server }'],
  ])('throws for %j', (options, message) => {
    expect(messageOf(options)).toBe(message)
  })

  it('ignores unknown members that are undefined', () => {
    expect(messageOf({ server, priorty: undefined })).toBe('nothing was thrown')
  })

  it('does not compile when a kind is missing, unknown or of another type', () => {
    const { server: _, ...withoutServer } = kinds
    // @ts-expect-error server is missing
    withoutServer satisfies OptionKinds<MailOptions>
    // @ts-expect-error the interface has no subject
    ;({ ...kinds, subject: text() }) satisfies OptionKinds<MailOptions>
    // @ts-expect-error another type
    ;({ ...kinds, priority: optional(text()) }) satisfies OptionKinds<MailOptions>
    // @ts-expect-error one of the values is missing
    ;({ ...kinds, priority: optional(oneOf('low')) }) satisfies OptionKinds<MailOptions>
    // @ts-expect-error an optional option whose kind rejects undefined
    ;({ ...kinds, priority: oneOf('low', 'high') }) satisfies OptionKinds<MailOptions>
    // @ts-expect-error an optional option that does not accept undefined
    ;({ size: optional(integer({ min: 1 })) }) satisfies OptionKinds<{ readonly size?: number }>
    // @ts-expect-error an option that is named because undefined would widen access, but accepts it
    kinds satisfies OptionKinds<MailOptions, 'sizes'>
    // @ts-expect-error a required option whose kind accepts undefined
    ;({ ...kinds, server: optional(kinds.server) }) satisfies OptionKinds<MailOptions>
    expect(mailOptions.kinds).toBe(kinds)
  })
})
