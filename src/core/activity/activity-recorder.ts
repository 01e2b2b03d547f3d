/** Records one call of an operation in the activity log: before its change is made, or before its answer leaves. */

import { ActivityUnavailableError, isVaultError } from '../../errors.js'
import { redactError } from '../../redact-error.js'
import type { ActivityAction, ActivityEntry } from '../../schema/activity.js'
import { isId } from '../../schema/ids.js'
import { isItem } from '../../schema/item.js'
import { withTimeout } from '../../with-timeout.js'
import type { Caller } from '../access/caller.js'
import type { AnyOperation } from '../define-operation.js'
import type { Change, VaultEventType } from '../runtime/change-hooks.js'
import type { Context, RecordedActivity } from '../runtime/context.js'
import { newUuid } from '../runtime/random.js'

/** Milliseconds until a log that has not taken an entry has failed. */
const longestRecord = 10_000

/** The caller, as far as it is recorded; without an id if it is not known who called. */
export type Actor = Partial<Omit<Caller, 'can'>>

/** What of a call stands in the log. */
type ActivityTarget = Partial<Pick<Change, 'vaultId' | 'itemId' | 'version'>>

const itemActions: Readonly<Partial<Record<VaultEventType, ActivityAction>>> = {
  'item.updated': 'UPDATE',
  'item.deleted': 'DELETE',
}

/** The entries of one call. Each method rejects with a StorageError of 503 if the log does not take the entry. */
export interface ActivityRecorder {
  /** Before a change is made; again if it is tried again as another version. */
  recordChange(change: Change): Promise<void>
  /** Before the answer leaves, unless all that is in it was recorded as a change. */
  recordResult(result: unknown): Promise<void>
  /**
   * Before the call fails, unless a change was recorded and may have happened, or the log did not take it. Of an unknown
   * caller it is only counted when there were too many already.
   */
  recordFailure(error: unknown): Promise<void>
}

/** A recorder of this call. Text from the client is shortened, and malformed ids are left out. */
export function createActivityRecorder(
  context: Pick<Context, 'now' | 'randomBytes'>,
  { log, rejections: refusals }: RecordedActivity,
  { activity: [action, type] }: Pick<AnyOperation, 'activity'>,
  actor: Actor | undefined,
  input: unknown,
): ActivityRecorder {
  const ref = targetOf(input)
  let ids: Pick<ActivityEntry, 'requestId' | 'clientRequestId'> | undefined
  let first: Change | undefined
  let latest: Change | undefined

  async function record(
    result: ActivityEntry['result'],
    about: ActivityTarget & Partial<Pick<Change, 'type'>>,
    omitted = 0,
  ): Promise<void> {
    const { vaultId, itemId, version } = about
    // The client's id never names a call: it could be that of another.
    ids ??= { requestId: newUuid(context.randomBytes), ...clientRequestIdOf(actor) }
    const entry: ActivityEntry = {
      ...ids,
      ...(omitted > 0 && { omitted }),
      timestamp: context.now().toISOString(),
      // An operation may change or remove items on its way to something else.
      action: (about.type && itemActions[about.type]) ?? action,
      result,
      actor: toActor(actor),
      resource: {
        type: itemId === undefined ? type : 'ITEM',
        ...(vaultId !== undefined && { vault: { id: vaultId } }),
        ...(itemId !== undefined && { item: { id: itemId } }),
        ...(itemId !== undefined && version !== undefined && { itemVersion: version }),
      },
    }
    try {
      await withTimeout(Promise.resolve(log.record(entry)), longestRecord, timeoutError)
    } catch (error) {
      const cause = redactError(error)
      throw new ActivityUnavailableError('the activity could not be recorded', { cause })
    }
  }

  function isLatest({ itemId, version }: ActivityTarget): boolean {
    return latest !== undefined && latest.itemId === itemId && latest.version === version
  }

  return {
    async recordChange(change) {
      if (isLatest(change) && latest?.type === change.type) return
      first ??= change
      await record('SUCCESS', change)
      latest = change
    },
    async recordResult(result) {
      const released = itemsIn(result)
      if (latest === undefined && released.length === 0) await record('SUCCESS', ref)
      for (const about of released)
        if (!isLatest(about)) await record('SUCCESS', { ...ref, ...about })
    },
    async recordFailure(error) {
      if (first !== undefined && isVaultError(error) && error.status >= 500) return
      const about = first === undefined ? ref : targetOf(first)
      if (actor?.id !== undefined) return record('DENY', about)
      const omitted = refusals.take()
      if (omitted === undefined) return
      await record('DENY', about, omitted).catch((failure) => {
        refusals.giveBack(omitted + 1)
        throw failure
      })
    },
  }
}

function timeoutError(): Error {
  return new Error('the log did not answer')
}

function clientRequestIdOf(actor: Actor | undefined): Pick<ActivityEntry, 'clientRequestId'> {
  const given = actor?.client?.requestId
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? { clientRequestId: given } : {}
}

function toActor({ id, tokenId, client: origin = {} }: Actor = {}): ActivityEntry['actor'] {
  const { userAgent, requestIp } = origin
  return {
    id: id === undefined ? '' : escaped(String(id)),
    ...(tokenId !== undefined && { jti: escaped(String(tokenId)) }),
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
function itemsIn(result: unknown): readonly ActivityTarget[] {
  if (Array.isArray(result)) return result.flatMap(itemsIn)
  const item: unknown = Reflect.get(Object(result), 'item') ?? result
  if (!isItem(item)) return []
  return [{ itemId: item.id, version: item.version }]
}

/** The vault and the item, each only if it is named by what is an id. */
export interface CallTarget {
  readonly vaultId?: string
  readonly itemId?: string
}

/** The ids in `input`, which may be anything. */
export function targetOf(input: unknown): CallTarget {
  const vaultId: unknown = Reflect.get(Object(input), 'vaultId')
  const itemId: unknown = Reflect.get(Object(input), 'itemId')
  return { ...(isId(vaultId) && { vaultId }), ...(isId(itemId) && { itemId }) }
}
