/** Every request that a service must hold against, as cases that anyone can run on his own mount. */

import type { ContractCase } from './contract.js'
import { hostileBodies } from './hostile-bodies.js'
import { hostileCallers } from './hostile-callers.js'
import { type HandlerMount, hostileCase } from './hostile-case.js'
import { hostileConditions } from './hostile-conditions.js'
import { hostileFiles } from './hostile-files.js'
import { hostileItems } from './hostile-items.js'
import { hostileJson } from './hostile-json.js'
import { hostilePatches } from './hostile-patches.js'
import { hostilePlaces } from './hostile-places.js'
import { hostileTargets } from './hostile-targets.js'

/**
 * The bad inputs that a service must hold against, each a request over a real socket to a service that the case makes:
 * it is answered with exactly this status, an error of `status` and `message` alone and the headers of every answer; no
 * value of the item, of the request or of a token is in what comes back; every record and content is the same, byte for
 * byte, afterwards; and nothing is written onto what all objects share. A few are answered with 200, because what looks
 * bad in them must be ignored, replaced or escaped.
 */
export const hostileRequests: readonly ContractCase<HandlerMount>[] = [
  ...hostileCallers,
  ...hostilePlaces,
  ...hostileJson,
  ...hostileBodies,
  ...hostileTargets,
  ...hostileItems,
  ...hostilePatches,
  ...hostileFiles,
  ...hostileConditions,
].map(hostileCase)
