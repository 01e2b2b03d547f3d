/** A service whose operations are all called with the same options. */

import { operations } from '../../../src/core/operations.js'
import type { CallOptions, VaultService } from '../../../src/index.js'

/** Returns the service with these options in each call of an operation. */
export function withOptions(service: VaultService, options: CallOptions): VaultService {
  const bound = Object.keys(operations).map((name) => {
    const method: (...call: unknown[]) => unknown = Reflect.get(service, name)
    return [name, (caller: unknown, input: unknown) => method(caller, input, options)]
  })
  return { ...service, ...Object.fromEntries(bound) }
}
