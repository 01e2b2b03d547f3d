/** Every request that a service must hold against, as cases that anyone can run on his own mount. */

import type { ContractCase } from '../contract-case.js'
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
 * The bad inputs that a service must hold against, each a request over a real socket to a service that the case makes:
 * it is answered with exactly this status, an error of `status` and `message` alone and the headers of every answer; no
 * value of the item, of the request or of a token is in what comes back; every record and content is the same, byte for
 * byte, afterwards; and nothing is written onto what all objects share. A few are answered with 200, because what looks
 * bad in them must be ignored, replaced or escaped.
 */
export const hostileRequests: readonly ContractCase<HandlerServer>[] = [
  ...hostileCredentials,
  ...hostileResourceIds,
  ...hostileJson,
  ...hostileBodies,
  ...hostileTargets,
  ...hostileItems,
  ...hostilePatches,
  ...hostileFiles,
  ...hostilePreconditions,
].map(toContractCase)
