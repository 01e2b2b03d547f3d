/** All hostile requests, as contract cases for any mount. */

import { anyFunction } from '../../assert-argument.js'
import { type ContractCase, checkSubjects } from '../contract-case.js'
import { hostileBodies } from './bodies.js'
import { hostileCredentials } from './credentials.js'
import { hostileFiles } from './files.js'
import { type HandlerServer, toContractCase } from './hostile-case.js'
import { hostileItems } from './items.js'
import { hostileJson } from './malformed-json.js'
import { hostilePatches } from './patches.js'
import { hostilePreconditions } from './preconditions.js'
import { hostileTargets } from './request-targets.js'
import { hostileResourceIds } from './resource-ids.js'

/**
 * More than a thousand invalid requests, as cases. Each case creates its own service, sends its
 * request over a real socket and requires that:
 * - the status is exactly the expected one, an error body contains only `status` and `message`, and
 *   all common headers are present
 * - the response contains no value of the item, of the request or of a token
 * - every record and every blob is unchanged afterwards, byte for byte
 * - nothing was written to a built-in prototype
 *
 * A few requests return 200, because their unusual part must be ignored, replaced or escaped.
 */
export const hostileRequests: readonly ContractCase<HandlerServer>[] = checkSubjects(
  [
    ...hostileCredentials,
    ...hostileResourceIds,
    ...hostileJson,
    ...hostileBodies,
    ...hostileTargets,
    ...hostileItems,
    ...hostilePatches,
    ...hostileFiles,
    ...hostilePreconditions,
  ].map(toContractCase),
  { serve: anyFunction },
  'server',
)
