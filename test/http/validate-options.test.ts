import { describe, expect, it } from 'vitest'
import type { HttpHandlerOptions } from '../../src/http.js'
import { createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'

const service = createVaultService({ store: createMemoryStore() })

/** Makes a handler with options as a program without types may have them. */
function make(options: Readonly<Record<string, unknown>>): unknown {
  const all = { authenticate: () => undefined, ...options }
  return createHttpHandler(service, all as unknown as HttpHandlerOptions)
}

const limits = ['maxBodyBytes', 'maxBodyDepth', 'maxBodyElements', 'maxFileBytes']
const timeouts = ['bodyTimeoutMs', 'authenticationTimeoutMs']

describe('createHttpHandler', () => {
  it.each([...limits, ...timeouts])('takes no %s that is no number, or below 0', (name) => {
    for (const value of [
      Number(process.env['NOT_SET']),
      -1,
      Number.NEGATIVE_INFINITY,
      '1000',
      null,
      [9],
      9n,
    ])
      expect(() => make({ [name]: value })).toThrow(
        expect.objectContaining({
          name: 'RangeError',
          message: expect.stringContaining(`${name} must be a number`),
        }),
      )
  })

  it.each([...limits, ...timeouts])('takes any other %s, Infinity too', (name) => {
    for (const value of [1, 1.5, Number.POSITIVE_INFINITY, undefined])
      expect(() => make({ [name]: value })).not.toThrow()
  })

  it('takes a limit of 0, which lets nothing through, and no timeout of 0', () => {
    for (const name of limits) expect(() => make({ [name]: 0 })).not.toThrow()
    for (const name of timeouts)
      expect(() => make({ [name]: 0 })).toThrow(`${name} must be a number, 1 or more`)
  })

  it.each(['secrets', '/secrets/', 'secrets/', '/', '//'])(
    'takes no basePath %j, under which nothing would be found',
    (basePath) => {
      expect(() => make({ basePath })).toThrow(
        new RangeError('basePath must begin with a slash and end without one, or be empty'),
      )
    },
  )

  it.each(['', '/secrets', '/a/b', '/ä'])('takes the basePath %j', (basePath) => {
    expect(() => make({ basePath })).not.toThrow()
  })
})
