import { describe, expect, it } from 'vitest'
import { hostileRequests } from '../support/http/checked-handlers.js'
import { mounts } from '../support/http/mounts.js'
import { listening } from '../support/http/serve.js'

/** Every mount with `npm run test:mounts`, else one of each kind: each takes seven seconds. */
const kinds = ['node:http', 'fetch', 'Express 5', 'Fastify 5']
const tried = process.env['ALL_MOUNTS'] ? mounts : mounts.filter(({ name }) => kinds.includes(name))

it('runs on at least one mount of each kind', () => {
  expect(tried.length).toBeGreaterThanOrEqual(kinds.length)
})

describe.each(tried)('hostileRequests on $name', ({ serve }) => {
  // Concurrent, because some wait for a timeout or for every retry of a write.
  for (const { name, run } of hostileRequests)
    it.concurrent(name, () =>
      run({ serve: async (handler, work) => listening(await serve(handler), work) }),
    )
})
