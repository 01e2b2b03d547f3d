/** Records one call of an operation in the activity log: before its change is made, or before its answer leaves. */

import { isVaultError, StorageError } from '../errors.js'
import { type ActivityEntry, activities } from '../schema/activity.js'
import { isItem } from '../schema/item.js'
import type { OperationName } from '../schema/operations.js'
import { within } from '../within.js'
import { withoutSecrets } from '../without-secrets.js'
import type { ActivityLog } from './activity-log.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { namedIds } from './named-ids.js'
import { newUuid } from './random.js'
import type { Deed } from './witness.js'

/** Milliseconds until a log that has not taken an entry has failed. */
const longestRecord = 10_000

/** Who asks, as far as the log wants to know. */
export type Asker = Omit<Caller, 'may'>

/** What of a call stands in the log. */
type About = Partial<Pick<Deed, 'vaultId' | 'itemId' | 'version'>>

/** The entries of one call. Each method rejects with a StorageError of 503 if the log does not take the entry. */
export interface CallRecorder {
  /** Before a change is made; again if it is tried again as another version. */
  change(deed: Deed): Promise<void>
  /** Before the answer leaves, unless all that is in it was recorded as a change. */
  answer(result: unknown): Promise<void>
  /** Before the call fails, unless a change was recorded and may have happened, or the log did not take it. */
  refusal(error: unknown): Promise<void>
}

/** A recorder of this call. What the asker says of himself is shortened, ids that are none are left out. */
export function createCallRecorder(
  context: Pick<Context, 'now' | 'randomBytes'>,
  log: ActivityLog,
  operation: OperationName,
  asker: Asker | undefined,
  input: unknown,
): CallRecorder {
  const requestId = requestIdOf(context, asker)
  const [action, type] = activities[operation]
  const place = namedIds(input)
  let first: Deed | undefined
  let latest: Deed | undefined

  async function record(
    result: ActivityEntry['result'],
    about: About & Partial<Pick<Deed, 'type'>>,
  ): Promise<void> {
    const { vaultId, itemId, version } = about
    const entry: ActivityEntry = {
      requestId,
      timestamp: context.now().toISOString(),
      // An operation may remove items on its way to something else.
      action: about.type === 'item.deleted' ? 'DELETE' : action,
      result,
      actor: actorOf(asker),
      resource: {
        type: itemId === undefined ? type : 'ITEM',
        ...(vaultId !== undefined && { vault: { id: vaultId } }),
        ...(itemId !== undefined && { item: { id: itemId } }),
        ...(itemId !== undefined && version !== undefined && { itemVersion: version }),
      },
    }
    try {
      await within(longestRecord, Promise.resolve(log.record(entry)), tooLate)
    } catch (error) {
      const options = { code: 'ACTIVITY_UNAVAILABLE', cause: withoutSecrets(error) } as const
      throw new StorageError('the activity could not be recorded', options)
    }
  }

  function isLatest({ itemId, version }: About): boolean {
    return latest !== undefined && latest.itemId === itemId && latest.version === version
  }

  return {
    async change(deed) {
      if (isLatest(deed)) return
      first ??= deed
      latest = deed
      await record('SUCCESS', deed)
    },
    async answer(result) {
      const released = releasedIn(result)
      if (latest === undefined && released.length === 0) await record('SUCCESS', place)
      for (const about of released)
        if (!isLatest(about)) await record('SUCCESS', { ...place, ...about })
    },
    async refusal(error) {
      const isOpen = first !== undefined && isVaultError(error) && error.status >= 500
      if (!isOpen) await record('DENY', first === undefined ? place : namedIds(first))
    },
  }
}

function tooLate(): Error {
  return new Error('the log did not answer')
}

function requestIdOf(context: Pick<Context, 'randomBytes'>, asker: Asker | undefined): string {
  const given = asker?.origin?.requestId
  const isUuid = given !== undefined && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(given)
  return isUuid ? given : newUuid(context.randomBytes)
}

function actorOf(asker: Asker | undefined): ActivityEntry['actor'] {
  const { userAgent, requestIp } = asker?.origin ?? {}
  return {
    id: asker === undefined ? '' : String(asker.id),
    ...(asker?.jti !== undefined && { jti: String(asker.jti) }),
    ...(userAgent !== undefined && { userAgent: userAgent.slice(0, 256) }),
    ...(requestIp !== undefined && { requestIp: requestIp.slice(0, 64) }),
  }
}

/** The items in an answer, each with its version: an item that was found, or many. */
function releasedIn(result: unknown): readonly About[] {
  if (Array.isArray(result)) return result.flatMap(releasedIn)
  const item: unknown = Reflect.get(Object(result), 'item') ?? result
  if (!isItem(item)) return []
  return [{ itemId: item.id, version: item.version }]
}
