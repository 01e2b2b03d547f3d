import type { KnownCaller } from '../../../src/core/access/caller.js'
import type { Call } from '../../../src/core/operation/call.js'
import type { Context } from '../../../src/core/runtime/context.js'

/** A call that records nothing and emits nothing, for tests that run an operation's `run`. */
export function createCall(
  context: Context,
  caller: KnownCaller,
  members: Partial<Call> = {},
): Call {
  return {
    context,
    caller,
    isUseOnly: false,
    assertNotExpired: () => {},
    beginChange: async () => {},
    setCredential: async () => {},
    afterChange: () => {},
    reportUnreadable: context.reportUnreadable,
    ...members,
  }
}
