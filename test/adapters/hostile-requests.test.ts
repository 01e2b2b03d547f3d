import { describe, it } from 'vitest'
import { hostileBodies } from '../../src/testing/hostile/bodies.js'
import { hostileCredentials } from '../../src/testing/hostile/credentials.js'
import { type HostileRequest, toContractCase } from '../../src/testing/hostile/hostile-case.js'
import { hostileTargets } from '../../src/testing/hostile/request-targets.js'
import { hostileRequests } from '../support/http/checked-handlers.js'
import { mounts } from '../support/http/mounts.js'
import { withServer } from '../support/http/serve.js'
import { runAll } from '../support/run-all.js'

/** Node's own server in `npm test`, the other mounts in `npm run test:all`. */
const tested = mounts.filter(({ name }) => (name === 'node:http') !== runAll)

/** What frameworks decode, join, parse or wait for themselves. The vault handles the others alone. */
const dependsOnFramework = ({ name, mayBeRejectedUpstream, disconnects }: HostileRequest) =>
  mayBeRejectedUpstream ||
  disconnects ||
  /^POST with(?:out a body| a declared| a body| a chunked| chunks)|content-encoding|two Auth|two values|HEAD|OPTIONS|override/.test(
    name,
  )

const ofFrameworks = new Set(
  [...hostileCredentials, ...hostileBodies, ...hostileTargets]
    .filter(dependsOnFramework)
    .map((request) => toContractCase(request).name),
)

/** Every request on a mount without a framework, and those that frameworks handle on the others. */
const requestsOf = (mount: string) =>
  ['node:http', 'fetch'].includes(mount)
    ? hostileRequests
    : hostileRequests.filter(({ name }) => ofFrameworks.has(name))

describe.each(tested)('hostileRequests on $name', ({ name: mount, serve }) => {
  // Concurrent, because some requests wait for a timeout.
  for (const { name, run } of requestsOf(mount))
    it.concurrent(name, () =>
      run({ serve: async (handler, work) => withServer(await serve(handler), work) }),
    )
})
