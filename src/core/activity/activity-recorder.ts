/** Records one call of an operation in the activity log: before its change is made, or before its answer leaves. */

import { isVaultError, StorageError } from '../../errors.js'
import { withoutSecrets } from '../../redact-error.js'
import { type ActivityAction, type ActivityEntry, activities } from '../../schema/activity.js'
import { isId } from '../../schema/ids.js'
import { isItem } from '../../schema/item.js'
import type { OperationName } from '../../schema/operations.js'
import { within } from '../../with-timeout.js'
import type { Caller } from '../access/caller.js'
import type { Deed, VaultEventType } from '../runtime/change-hooks.js'
import type { Context, RecordedActivity } from '../runtime/context.js'
import { newUuid } from '../runtime/random.js'

/** Milliseconds until a log that has not taken an entry has failed. */
const longestRecord = 10_000

/** The caller, as far as it is recorded; without an id if it is not known who called. */
export type Asker = Partial<Omit<Caller, 'may'>>

/** What of a call stands in the log. */
type About = Partial<Pick<Deed, 'vaultId' | 'itemId' | 'version'>>

const itemActions: Readonly<Partial<Record<VaultEventType, ActivityAction>>> = {
  'item.updated': 'UPDATE',
  'item.deleted': 'DELETE',
}

/** The entries of one call. Each method rejects with a StorageError of 503 if the log does not take the entry. */
export interface CallRecorder {
  /** Before a change is made; again if it is tried again as another version. */
  change(deed: Deed): Promise<void>
  /** Before the answer leaves, unless all that is in it was recorded as a change. */
  answer(result: unknown): Promise<void>
  /**
   * Before the call fails, unless a change was recorded and may have happened, or the log did not take it. Of an unknown
   * caller it is only counted when there were too many already.
   */
  refusal(error: unknown): Promise<void>
}

/** A recorder of this call. Text from the client is shortened, and malformed ids are left out. */
export function createCallRecorder(
  context: Pick<Context, 'now' | 'randomBytes'>,
  { log, refusals }: RecordedActivity,
  operation: OperationName,
  asker: Asker | undefined,
  input: unknown,
): CallRecorder {
  const [action, type] = activities[operation]
  const place = namedIds(input)
  let ids: Pick<ActivityEntry, 'requestId' | 'clientRequestId'> | undefined
  let first: Deed | undefined
  let latest: Deed | undefined

  async function record(
    result: ActivityEntry['result'],
    about: About & Partial<Pick<Deed, 'type'>>,
    omitted = 0,
  ): Promise<void> {
    const { vaultId, itemId, version } = about
    // The client's id never names a call: it could be that of another.
    ids ??= { requestId: newUuid(context.randomBytes), ...clientRequestIdOf(asker) }
    const entry: ActivityEntry = {
      ...ids,
      ...(omitted > 0 && { omitted }),
      timestamp: context.now().toISOString(),
      // An operation may change or remove items on its way to something else.
      action: (about.type && itemActions[about.type]) ?? action,
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
      if (isLatest(deed) && latest?.type === deed.type) return
      first ??= deed
      await record('SUCCESS', deed)
      latest = deed
    },
    async answer(result) {
      const released = releasedIn(result)
      if (latest === undefined && released.length === 0) await record('SUCCESS', place)
      for (const about of released)
        if (!isLatest(about)) await record('SUCCESS', { ...place, ...about })
    },
    async refusal(error) {
      if (first !== undefined && isVaultError(error) && error.status >= 500) return
      const about = first === undefined ? place : namedIds(first)
      if (asker?.id !== undefined) return record('DENY', about)
      const omitted = refusals.take()
      if (omitted === undefined) return
      await record('DENY', about, omitted).catch((failure) => {
        refusals.giveBack(omitted + 1)
        throw failure
      })
    },
  }
}

function tooLate(): Error {
  return new Error('the log did not answer')
}

function clientRequestIdOf(asker: Asker | undefined): Pick<ActivityEntry, 'clientRequestId'> {
  const given = asker?.origin?.requestId
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? { clientRequestId: given } : {}
}

function actorOf({ id, jti, origin = {} }: Asker = {}): ActivityEntry['actor'] {
  const { userAgent, requestIp } = origin
  return {
    id: id === undefined ? '' : escaped(String(id)),
    ...(jti !== undefined && { jti: escaped(String(jti)) }),
    ...(userAgent !== undefined && { userAgent: inOneLine(userAgent, 256) }),
    ...(requestIp !== undefined && { requestIp: inOneLine(requestIp, 64) }),
  }
}

/** The text with its invisible characters as `\u{a}`, so that it is one line and no two texts become the same. */
function escaped(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]|\\(?=u\{)/gu,
    (sign) => `\\u{${Number(sign.codePointAt(0)).toString(16)}}`,
  )
}

/** The beginning of a text without its invisible characters, which could forge a line of a log that is text. */
function inOneLine(text: string, length: number): string {
  return text.slice(0, length).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

/** The items in an answer, each with its version: an item that was found, or many. */
function releasedIn(result: unknown): readonly About[] {
  if (Array.isArray(result)) return result.flatMap(releasedIn)
  const item: unknown = Reflect.get(Object(result), 'item') ?? result
  if (!isItem(item)) return []
  return [{ itemId: item.id, version: item.version }]
}

/** The vault and the item, each only if it is named by what is an id. */
export interface NamedIds {
  readonly vaultId?: string
  readonly itemId?: string
}

/** The ids in `input`, which may be anything. */
export function namedIds(input: unknown): NamedIds {
  const vaultId: unknown = Reflect.get(Object(input), 'vaultId')
  const itemId: unknown = Reflect.get(Object(input), 'itemId')
  return { ...(isId(vaultId) && { vaultId }), ...(isId(itemId) && { itemId }) }
}
