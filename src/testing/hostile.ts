/**
 * Hostile requests as contract cases, for a handler that you mount in your own framework. Imports
 * no test runner.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { test } from 'node:test'
 * import { createNodeListener } from 'cofferkit/node'
 * import { type HandlerServer, hostileRequests } from 'cofferkit/testing/hostile'
 *
 * const serve: HandlerServer['serve'] = async (handler, work) => {
 *   const server = createServer(createNodeListener(handler)).listen(0, '127.0.0.1')
 *   await new Promise((resolve) => server.once('listening', resolve))
 *   const address = server.address()
 *   const port = typeof address === 'object' ? address?.port : undefined
 *   await work(`http://127.0.0.1:${port}`).finally(() => server.close())
 * }
 * for (const { name, run } of hostileRequests) test(name, () => run({ serve }))
 * ```
 * @module cofferkit/testing/hostile
 */

import { anyFunction } from '../base/argument.js'
import { checkSubjects } from '../base/contract-case.js'
import type { ContractCase } from '../testing.js'
import { hostileBodies } from './hostile/bodies.js'
import { hostileCredentials } from './hostile/credentials.js'
import { hostileFiles } from './hostile/files.js'
import { type HandlerServer, toContractCase } from './hostile/hostile-case.js'
import { hostileJson } from './hostile/malformed-json.js'
import { hostilePreconditions } from './hostile/preconditions.js'
import { hostilePrototypes } from './hostile/prototypes.js'
import { hostileTargets } from './hostile/request-targets.js'
import { hostileResourceIds } from './hostile/resource-ids.js'

export type { HandlerServer } from './hostile/hostile-case.js'

/**
 * About 500 hostile requests as cases: odd bytes, targets, headers, tokens and names, and stores
 * that fail. Each case creates its own service, sends its request over a real socket and requires
 * that
 * - the status is exactly the expected one, an error body contains only `status` and `message`, and
 *   all common headers are present
 * - the response contains no value of the item, of the request or of a token
 * - every record and every blob is unchanged afterwards, byte for byte
 * - nothing was written to a built-in prototype
 *
 * A few requests must succeed with 200, because their unusual part must be ignored, replaced or
 * escaped.
 */
export const hostileRequests: readonly ContractCase<HandlerServer>[] = checkSubjects(
  [
    ...hostileCredentials,
    ...hostileResourceIds,
    ...hostileJson,
    ...hostileBodies,
    ...hostileTargets,
    ...hostilePrototypes,
    ...hostileFiles,
    ...hostilePreconditions,
  ].map(toContractCase),
  { serve: anyFunction },
  'server',
)
