import { describe, it } from 'vitest'
import { hostileRequests } from '../../src/testing/index.js'
import { mounts } from '../support/mounts.js'
import { listening } from '../support/serve.js'

describe.each(mounts)('the vault in $name', ({ serve }) => {
  // Some wait for a timeout or for races to be lost, and meanwhile others can be sent.
  for (const { name, run } of hostileRequests)
    it.concurrent(name, () =>
      run({ mount: async (handler, work) => listening(await serve(handler), work) }),
    )
})
