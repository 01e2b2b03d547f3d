import { describe, expect, it } from 'vitest'
import type { HttpHandlerOptions } from '../../src/http.js'
import { createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'

const service = createVaultService({ store: createMemoryStore() })

/** Creates a handler with options that the types do not allow. */
function create(options: Readonly<Record<string, unknown>>): unknown {
  const all = { authenticate: () => undefined, ...options }
  return createHttpHandler(service, all as unknown as HttpHandlerOptions)
}

const limits = ['maxBodyBytes', 'maxBodyDepth', 'maxBodyElements', 'maxFileBytes']
const timeouts = ['bodyTimeoutMs', 'authenticationTimeoutMs']

describe('createHttpHandler options', () => {
  it.each([...limits, ...timeouts])('throws when %s is not a number or is below 0', (name) => {
    for (const value of [
      Number(process.env['NOT_SET']),
      -1,
      Number.NEGATIVE_INFINITY,
      '1000',
      null,
      [9],
      9n,
    ])
      expect(() => create({ [name]: value })).toThrow(
        expect.objectContaining({
          name: typeof value === 'number' ? 'RangeError' : 'TypeError',
          message: expect.stringMatching(`${name} must be a (?:whole )?number of`),
        }),
      )
  })

  it.each(timeouts)('accepts any other %s, including Infinity', (name) => {
    for (const value of [1, 1.5, Number.POSITIVE_INFINITY, undefined])
      expect(() => create({ [name]: value })).not.toThrow()
  })

  it.each(limits)('accepts any whole number as %s, and throws RangeError for another', (name) => {
    for (const value of [1, Number.MAX_SAFE_INTEGER, undefined])
      expect(() => create({ [name]: value })).not.toThrow()
    for (const value of [1.5, Number.POSITIVE_INFINITY])
      expect(() => create({ [name]: value })).toThrow(`${name} must be a whole number of 0 or more`)
  })

  it('throws when minUploadRate is not a number of 0 or more', () => {
    for (const minUploadRate of [0, 0.5, 1e9, undefined])
      expect(() => create({ minUploadRate })).not.toThrow()
    for (const minUploadRate of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', null])
      expect(() => create({ minUploadRate })).toThrow(
        typeof minUploadRate === 'number' ? RangeError : TypeError,
      )
  })

  it('accepts a limit of 0, and throws RangeError when a timeout is 0', () => {
    for (const name of limits) expect(() => create({ [name]: 0 })).not.toThrow()
    for (const name of timeouts)
      expect(() => create({ [name]: 0 })).toThrow(`${name} must be a number of 1 or more`)
  })

  it.each(['secrets', '/secrets/', 'secrets/', '/', '//'])(
    'throws TypeError when basePath is %j',
    (basePath) => {
      expect(() => create({ basePath })).toThrow(
        new TypeError('options.basePath must be empty, or begin with a slash and end without one'),
      )
    },
  )

  it.each(['', '/secrets', '/a/b', '/ä'])('accepts the basePath %j', (basePath) => {
    expect(() => create({ basePath })).not.toThrow()
  })
})
