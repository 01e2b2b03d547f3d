/** Records one call of an operation in the activity log. */

import { releaseContent } from '../base/blob-content.js'
import { redactError } from '../base/redact-error.js'
import { withTimeout } from '../base/with-timeout.js'
import type {
  ActivityRecorder,
  ActivitySource,
  OpenableLog,
  RecordedCall,
  RecordTransaction,
} from '../core/runtime/activity-log.js'
import { type Change, changeActions } from '../core/runtime/change.js'
import { ActivityUnavailableError, isVaultError, StorageUnavailableError } from '../errors.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { isFileId } from '../schema/ids.js'
import { isItem } from '../schema/item.js'
import {
  type Actor,
  clientRequestIdOf,
  toActor,
  toRecordedCredential,
  useOf,
} from './recorded-texts.js'
import type { RejectionQuota } from './rejection-quota.js'
import type { NewRequestId } from './request-ids.js'

/** How long recording an entry may take before it counts as failed. */
const recordTimeoutMs = 10_000
/** The same for the outcome of a change, which has already been made or failed. */
const settleTimeoutMs = 1000

/** The vault, the item and its version that an entry refers to. */
type ActivityTarget = Partial<Pick<Change, 'vaultId' | 'itemId' | 'version'>>

/** Where the entries of a service are recorded, and how. */
interface RecorderOptions {
  readonly log: Pick<OpenableLog, 'record' | 'recordIn'>
  readonly source: ActivitySource
  readonly newRequestId: NewRequestId
  /** Limits the entries about unknown callers. */
  readonly rejections: RejectionQuota
  /** The application's transaction, if the call is part of one. */
  readonly transaction: RecordTransaction | undefined
}

/** The change that a call has begun. */
interface BegunChange {
  readonly change: Change
  /** Resolves with its entry once it is recorded. */
  readonly pending: Promise<ActivityEntry>
}

/**
 * Creates the recorder of one call. The client's strings are truncated, and malformed ids are left
 * out.
 */
export function createActivityRecorder(
  { log, source, newRequestId, rejections, transaction }: RecorderOptions,
  { operation, client, ids: input, ref: inputTarget, credential: named }: RecordedCall,
): ActivityRecorder {
  const { name, target } = operation
  const [action, type] = operation.activity
  const startedAt = performance.now()
  const timestamp = source.now()
  const requestId = newRequestId(timestamp, source.randomBytes)
  const use = name === 'useField' ? useOf(input) : undefined
  let actor: Actor = { client }
  let credential = named
  let fileId = target === 'file' ? fileIdOf(input) : undefined
  let begun: BegunChange | undefined
  /** The last stored change of the vault or item of `begun`. */
  let stored: Change | undefined
  let hasStoredOthers = false

  const toEntry = (
    outcome: Pick<ActivityEntry, 'result' | 'code' | 'omitted'>,
    { vaultId, itemId, version, type: change }: Partial<Change>,
  ): ActivityEntry => ({
    requestId,
    ...clientRequestIdOf(actor),
    timestamp: timestamp.toISOString(),
    ...(outcome.result !== 'PENDING' && {
      durationMs: Math.round(performance.now() - startedAt),
    }),
    operation: name,
    // Saving a credential creates its item or updates it.
    action: change === undefined ? action : changeActions[change],
    ...outcome,
    actor: toActor(actor),
    ...(use && { use }),
    ...(credential && { credential: toRecordedCredential(credential) }),
    resource: {
      type: itemId === undefined ? type : 'ITEM',
      ...(vaultId !== undefined && { vault: { id: vaultId } }),
      ...(itemId !== undefined && { item: { id: itemId } }),
      ...(fileId !== undefined && { file: { id: fileId } }),
      ...(itemId !== undefined && version !== undefined && { itemVersion: version }),
      ...(itemId === undefined && version !== undefined && { vaultVersion: version }),
    },
  })

  async function record(
    entry: ActivityEntry,
    timeoutMs = recordTimeoutMs,
    pending?: ActivityEntry,
  ): Promise<void> {
    try {
      const recorded = Promise.resolve(log.record(entry, pending))
      await withTimeout(recorded, timeoutMs, timeoutError)
    } catch (error) {
      const cause = isVaultError(error) ? error : redactError(error)
      const what = pending === undefined ? 'activity' : `outcome of request ${requestId}`
      const message = `the ${what} could not be recorded`
      throw new ActivityUnavailableError(message, { cause })
    }
  }

  async function recordResult(result: unknown): Promise<void> {
    // A list is one call about its vault, regardless of what it returns.
    const items = type === 'ITEM' ? itemsIn(result) : []
    const targets = items.length === 0 ? [inputTarget] : items
    for (const item of targets) {
      const entry = toEntry({ result: 'SUCCESS' }, { ...inputTarget, ...item })
      await record(entry)
    }
  }

  async function recordRejection(error: unknown): Promise<void> {
    const outcome = { result: 'DENY', ...codeOf(error) } as const
    if (actor.id !== undefined) return record(toEntry(outcome, inputTarget))
    const omitted = rejections.take()
    if (omitted === undefined) return
    const entry = toEntry({ ...outcome, ...(omitted > 0 && { omitted }) }, inputTarget)
    await record(entry).catch((failure) => {
      rejections.addOmitted(omitted + 1)
      throw failure
    })
  }

  /**
   * Records the outcome of a change. A success in the application's transaction is recorded in the
   * same transaction, because both can still be rolled back. If recording fails, so does the call.
   */
  async function recordChange(
    { change, pending }: BegunChange,
    outcome: Pick<ActivityEntry, 'result' | 'code'>,
    version: number | undefined,
  ): Promise<void> {
    const { version: _, ...described } = stored ?? change
    const entry = toEntry(outcome, { ...described, ...(version !== undefined && { version }) })
    if (transaction !== undefined && outcome.result === 'SUCCESS')
      return log.recordIn?.(transaction, entry)
    await record(entry, settleTimeoutMs, await pending).catch((error) => source.onError(error))
  }

  return {
    setCaller(caller) {
      actor = caller
    },
    setCredential(found) {
      credential = found
    },
    async begin(change, newFileId) {
      if (begun === undefined) {
        fileId = newFileId ?? fileId
        const { version: _, ...described } = change
        const entry = toEntry({ result: 'PENDING' }, described)
        begun = { change, pending: record(entry).then(() => entry) }
      }
      await begun.pending
    },
    addStored(change) {
      if (change.itemId !== begun?.change.itemId) hasStoredOthers = true
      // An item whose vault was deleted meanwhile is deleted again.
      else if (change.type === 'item.deleted' && stored?.type === 'item.created') stored = undefined
      else stored = change
    },
    async settle(call) {
      const result = await call.catch(async (error: unknown) => {
        // A foreign error, such as that of a source of bytes, is not the store's.
        const isKnown = !isVaultError(error) || error.status < 500
        const isOver = isKnown && (stored !== undefined || !hasStoredOthers)
        if (begun !== undefined && isOver)
          await recordChange(begun, { result: 'DENY', ...codeOf(error) }, stored?.version)
        throw error
      })
      if (begun !== undefined) {
        const { itemId } = begun.change
        const returned = itemsIn(result).find((item) => item.itemId === itemId)
        await recordChange(begun, { result: 'SUCCESS' }, stored?.version ?? returned?.version)
      }
      return result
    },
    async recordOutcome(call) {
      const result = await call.catch(async (error: unknown) => {
        if (begun === undefined) await recordRejection(error)
        throw error
      })
      if (begun === undefined)
        await recordResult(result).catch((error) => {
          releaseContent(Reflect.get(Object(result), 'content'))
          throw error
        })
      return result
    },
  }
}

function timeoutError(): StorageUnavailableError {
  return new StorageUnavailableError('the activity log did not respond in time')
}

function codeOf(error: unknown): Pick<ActivityEntry, 'code'> {
  return isVaultError(error) ? { code: error.code } : {}
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

/** Returns the well-formed id of a file in an input, with a UUID in lower case. */
function fileIdOf(input: unknown): string | undefined {
  const fileId: unknown = Reflect.get(Object(input), 'fileId')
  return isFileId(fileId) ? fileId.toLowerCase() : undefined
}
