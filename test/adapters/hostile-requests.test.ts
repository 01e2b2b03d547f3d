import { describe, expect, it } from 'vitest'
import { hostileRequests } from '../support/http/checked-handlers.js'
import { mounts } from '../support/http/mounts.js'
import { listening } from '../support/http/serve.js'

/** All of them with `npm run test:mounts`; without, one of each kind, because each takes seven seconds. */
const kinds = ['node:http', 'fetch', 'Express 5', 'Fastify 5']
const tried = process.env['ALL_MOUNTS'] ? mounts : mounts.filter(({ name }) => kinds.includes(name))

it('is tried on one mount of each kind at least', () => {
  expect(tried.length).toBeGreaterThanOrEqual(kinds.length)
})

describe.each(tried)('the vault in $name', ({ serve }) => {
  // Some wait for a timeout or for races to be lost, and meanwhile others can be sent.
  for (const { name, run } of hostileRequests)
    it.concurrent(name, () =>
      run({ serve: async (handler, work) => listening(await serve(handler), work) }),
    )
})
