/** Lists the entries of a log that a caller can see. */

import * as z from 'zod/mini'
import { createPacer } from '../base/pacer.js'
import type { Caller } from '../core/access/caller.js'
import type {
  ActivityListOptions,
  ActivityStorage,
  PageInput,
} from '../core/runtime/activity-log.js'
import { toVaultError } from '../core/runtime/guard-store.js'
import { isUnreadableError, type UnreadableError } from '../core/runtime/report-unreadable.js'
import { type DecryptionError, StorageError } from '../errors.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity-entry.js'
import { fileIdSchema, idSchema } from '../schema/ids.js'
import { matches } from '../schema/parse.js'
import { secretUseSchema } from '../schema/secret-use.js'

/**
 * Returns a page of the entries that the caller can see, newest first. Reads the whole log, because
 * all visible entries are counted. Unreadable entries are reported and not counted, because their
 * vaults are unknown.
 * @throws StorageError if the log fails or returns anything but entries.
 */
export async function listEntries(
  log: ActivityStorage,
  caller: Caller,
  { limit = 50, offset = 0 }: PageInput,
  { reportUnreadable }: ActivityListOptions,
): Promise<ActivityPage> {
  const isVisible = createVisibilityCheck(caller)
  const entries: ActivityEntry[] = []
  let total = 0
  for await (const entry of readEntries(log)) {
    if (isUnreadableError(entry)) {
      reportUnreadable(entry)
      continue
    }
    if (!(await isVisible(entry))) continue
    if (total >= offset && entries.length < limit) entries.push(entry)
    total++
  }
  return { entries, total }
}

/** The size in bytes that the pacer assumes for an entry. */
const entryBytes = 512

/**
 * Yields the entries, and the errors of those that are unreadable.
 * @throws StorageError if the log fails or returns anything but entries.
 */
async function* readEntries(log: ActivityStorage): AsyncGenerator<ActivityEntry | UnreadableError> {
  const pace = createPacer()
  const unreadable: UnreadableError[] = []
  const onUnreadable = (error: DecryptionError): void => {
    if (isUnreadableError(error)) unreadable.push(error)
  }
  try {
    for await (const entry of log.entries({ onUnreadable })) {
      yield* unreadable.splice(0)
      await pace(entryBytes)
      if (!matches(recordedEntrySchema, entry))
        throw new StorageError('the activity log contains an invalid entry')
      yield entry
    }
    yield* unreadable
  } catch (error) {
    throw toVaultError(error, 'the activity log failed')
  }
}

/**
 * Creates the check whether the caller can see an entry: those of vaults that they can read, and
 * their own entries without a vault. The permission is checked once per vault.
 */
function createVisibilityCheck(
  caller: Caller,
): (entry: ActivityEntry) => boolean | Promise<boolean> {
  const canReadByVault = new Map<string, boolean | Promise<boolean>>()
  return ({ actor, resource: { vault } }) => {
    if (vault === undefined) return actor.id === String(caller.id)
    const canRead =
      canReadByVault.get(vault.id) ?? isTrue(caller.can('read', vault.id, 'listActivity'))
    canReadByVault.set(vault.id, canRead)
    return canRead
  }
}

async function isTrue(value: boolean | Promise<boolean>): Promise<boolean> {
  return (await value) === true
}

/** Parses an `ActivityEntry`. */
export const recordedEntrySchema = z.object({
  requestId: z.guid(),
  clientRequestId: z.exactOptional(z.string()),
  omitted: z.exactOptional(z.int().check(z.gte(1))),
  timestamp: z.iso.datetime(),
  operation: z.string(),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['SUCCESS', 'DENY']),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    requestIp: z.exactOptional(z.string()),
  }),
  use: z.exactOptional(secretUseSchema),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    file: z.exactOptional(z.object({ id: fileIdSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
    vaultVersion: z.exactOptional(z.int().check(z.gte(1))),
  }),
})
