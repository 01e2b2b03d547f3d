import { describe, it } from 'vitest'
import { hostileRequests } from '../support/http/checked-handlers.js'
import { mounts } from '../support/http/mounts.js'
import { withServer } from '../support/http/serve.js'
import { runAll } from '../support/run-all.js'

/** Node's own server in `npm test`, every mount in `npm run test:all`. */
const tested = runAll ? mounts : mounts.filter(({ name }) => name === 'node:http')

describe.each(tested)('hostileRequests on $name', ({ serve }) => {
  // Concurrent, because some requests wait for a timeout.
  for (const { name, run } of hostileRequests)
    it.concurrent(name, () =>
      run({ serve: async (handler, work) => withServer(await serve(handler), work) }),
    )
})
