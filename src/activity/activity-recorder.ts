/** Records one call of an operation in the activity log. */

import { releaseContent } from '../base/blob-content.js'
import { redactError } from '../base/redact-error.js'
import { safeGet } from '../base/safe-get.js'
import { withTimeout } from '../base/with-timeout.js'
import type { Caller, ClientInfo } from '../core/access/caller.js'
import { targetOf } from '../core/operation/call-target.js'
import type {
  ActivityRecorder,
  ActivitySource,
  ActivityStorage,
  RecordedOperation,
} from '../core/runtime/activity-log.js'
import { type Change, changeActions } from '../core/runtime/change.js'
import { newUuid } from '../core/runtime/random.js'
import { ActivityUnavailableError, isVaultError, StorageUnavailableError } from '../errors.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { isFileId } from '../schema/ids.js'
import { isItem } from '../schema/item.js'
import { matches } from '../schema/parse.js'
import { type SecretUseTarget, secretUseSchema } from '../schema/secret-use.js'

/** The time after which an entry that is not recorded yet counts as failed. */
const recordTimeoutMs = 10_000

/** The vault, the item and its version that an entry refers to. */
type ActivityTarget = Partial<Pick<Change, 'vaultId' | 'itemId' | 'version'>>

/** The recorded properties of a caller; without `id` if the caller is unknown. */
type Actor = Partial<Pick<Caller, 'id' | 'tokenId'>> & {
  readonly client?: ClientInfo | undefined
}

/** Where the entries of a service are recorded, and how. */
interface RecorderOptions {
  readonly log: ActivityStorage
  readonly source: ActivitySource
  /** Limits the entries about unknown callers. */
  readonly rejections: RejectionQuota
}

/**
 * Creates the recorder of one call. Texts of the client are truncated, and malformed ids are
 * omitted.
 * @param client - The client of a call over HTTP; undefined for a call in process.
 * @param input - The object with the ids of the call, which can be invalid.
 */
export function createActivityRecorder(
  { log, source, rejections }: RecorderOptions,
  { name, target, activity: [action, type] }: RecordedOperation,
  client: ClientInfo | undefined,
  input: unknown,
): ActivityRecorder {
  const inputTarget = targetOf(input)
  const use = name === 'useField' ? useOf(input) : undefined
  let actor: Actor = { client }
  let fileId = target === 'file' ? fileIdOf(input) : undefined
  let ids: Pick<ActivityEntry, 'requestId' | 'clientRequestId'> | undefined
  /** The first change that the call has begun: a failure after it is one of its vault or item. */
  let begun: Change | undefined
  /** The change in the last entry. */
  let recorded: Change | undefined

  async function record(
    result: ActivityEntry['result'],
    { vaultId, itemId, version, type: change }: Partial<Change>,
    omitted = 0,
  ): Promise<void> {
    // Two calls can have the same id of the client, so each gets an id of its own.
    ids ??= { requestId: newUuid(source.randomBytes), ...clientRequestIdOf(actor) }
    const entry: ActivityEntry = {
      ...ids,
      ...(omitted > 0 && { omitted }),
      timestamp: source.now().toISOString(),
      operation: name,
      // Some operations also update or delete items, for example `deleteVault`.
      action: change === undefined ? action : changeActions[change],
      result,
      actor: toActor(actor),
      ...(use && { use }),
      resource: {
        type: itemId === undefined ? type : 'ITEM',
        ...(vaultId !== undefined && { vault: { id: vaultId } }),
        ...(itemId !== undefined && { item: { id: itemId } }),
        ...(fileId !== undefined && { file: { id: fileId } }),
        ...(itemId !== undefined && version !== undefined && { itemVersion: version }),
        ...(itemId === undefined && version !== undefined && { vaultVersion: version }),
      },
    }
    try {
      await withTimeout(Promise.resolve(log.record(entry)), recordTimeoutMs, timeoutError)
    } catch (error) {
      const cause = isVaultError(error) ? error : redactError(error)
      throw new ActivityUnavailableError('the activity could not be recorded', { cause })
    }
  }

  function isRecorded({ itemId, version }: ActivityTarget): boolean {
    return recorded !== undefined && recorded.itemId === itemId && recorded.version === version
  }

  return {
    setCaller(caller) {
      actor = caller
    },
    async recordChange(change, newFileId) {
      fileId = newFileId ?? fileId
      if (isRecorded(change) && recorded?.type === change.type) return
      begun ??= change
      await record('SUCCESS', change)
      recorded = change
    },
    async recordOutcome(call) {
      const result = await call.catch(async (error) => {
        await recordFailure(error)
        throw error
      })
      await recordResult(result).catch((error) => {
        releaseContent(Reflect.get(Object(result), 'content'))
        throw error
      })
      return result
    },
  }

  async function recordResult(result: unknown): Promise<void> {
    const items = itemsIn(result)
    if (recorded === undefined && items.length === 0) await record('SUCCESS', inputTarget)
    for (const item of items)
      if (!isRecorded(item)) await record('SUCCESS', { ...inputTarget, ...item })
  }

  async function recordFailure(error: unknown): Promise<void> {
    if (begun !== undefined && isVaultError(error) && error.status >= 500) return
    const denied = begun === undefined ? inputTarget : targetOf(begun)
    if (actor.id !== undefined) return record('DENY', denied)
    const omitted = rejections.take()
    if (omitted === undefined) return
    await record('DENY', denied, omitted).catch((failure) => {
      rejections.addOmitted(omitted + 1)
      throw failure
    })
  }
}

function timeoutError(): StorageUnavailableError {
  return new StorageUnavailableError('the activity log did not respond in time')
}

function clientRequestIdOf({ client }: Actor): Pick<ActivityEntry, 'clientRequestId'> {
  const clientRequestId = client?.requestId
  const isValid = clientRequestId !== undefined && /^[\w.-]{1,128}$/.test(clientRequestId)
  return isValid ? { clientRequestId } : {}
}

function toActor({ id, tokenId, client = {} }: Actor): ActivityEntry['actor'] {
  const { userAgent, requestIp } = client
  return {
    id: id === undefined ? '' : escapeInvisible(String(id)),
    ...(tokenId !== undefined && { jti: escapeInvisible(String(tokenId)) }),
    ...(userAgent !== undefined && { userAgent: toSingleLine(userAgent, 256) }),
    ...(requestIp !== undefined && { requestIp: toSingleLine(requestIp, 64) }),
  }
}

/**
 * Escapes invisible characters as `\u{a}`, and a backslash before `u{` as `\u{5c}`. The result is
 * one line, and different texts have different results.
 */
function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]|\\(?=u\{)/gu,
    (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`,
  )
}

/**
 * Truncates a text and replaces its invisible characters with spaces: in a log that is a text file,
 * a line break could forge an entry.
 */
function toSingleLine(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

/**
 * Returns the ids and versions of the items in a result: a stored item, an item, or an array of
 * them.
 */
function itemsIn(result: unknown): readonly ActivityTarget[] {
  if (Array.isArray(result)) return result.flatMap(itemsIn)
  const item: unknown = Reflect.get(Object(result), 'item') ?? result
  if (!isItem(item)) return []
  return [{ itemId: item.id, version: item.version }]
}

/** Returns the valid `use` in an input, without any other member. */
function useOf(input: unknown): SecretUseTarget | undefined {
  const use = safeGet(input, 'use')
  if (!matches(secretUseSchema, use)) return undefined
  const { origin, method } = use
  return { origin, method }
}

/** Returns the well-formed id of a file in an input, with a UUID in lower case. */
function fileIdOf(input: unknown): string | undefined {
  const fileId: unknown = Reflect.get(Object(input), 'fileId')
  return isFileId(fileId) ? fileId.toLowerCase() : undefined
}

const maxPerMinute = 60
const minuteMs = 60_000

/**
 * A quota of entries in the activity log for rejected calls of unknown callers. Such calls need no
 * permission, so without a quota anyone could fill the log.
 */
interface RejectionQuota {
  /**
   * Uses one entry of the quota.
   * @returns The number of rejections that were omitted since the last recorded one; undefined if
   * the quota is exhausted and this rejection is only counted.
   */
  take(): number | undefined
  /** Counts rejections as omitted because their entry could not be recorded. */
  addOmitted(count: number): void
}

/** Creates a quota of 60 entries per minute. The minute is measured by a monotonic clock. */
export function createRejectionQuota(): RejectionQuota {
  let startedAt = Number.NEGATIVE_INFINITY
  let used = 0
  let omitted = 0
  return {
    take() {
      const now = performance.now()
      if (now - startedAt >= minuteMs) {
        startedAt = now
        used = 0
      }
      if (used === maxPerMinute) {
        omitted++
        return undefined
      }
      used++
      const count = omitted
      omitted = 0
      return count
    },
    addOmitted(count) {
      omitted += count
    },
  }
}
