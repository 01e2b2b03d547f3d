/** Lists the entries of a log that a caller can see. */

import type { Caller } from '../core/access/caller.js'
import type { ActivityStorage, PageInput } from '../core/activity-log.js'
import { toVaultError } from '../core/runtime/guard-store.js'
import { StorageError } from '../errors.js'
import { createPacer } from '../pacer.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity-entry.js'
import { matches } from '../schema/parse.js'
import { recordedEntrySchema } from './recorded-entry.js'

/**
 * Returns a page of the entries that the caller can see, newest first. Reads the whole log, because
 * all visible entries are counted.
 * @throws StorageError if the log fails or returns anything but entries.
 */
export async function listEntries(
  log: ActivityStorage,
  caller: Caller,
  { limit = 50, offset = 0 }: PageInput,
  signal?: AbortSignal,
): Promise<ActivityPage> {
  const isVisible = createVisibilityCheck(caller)
  const entries: ActivityEntry[] = []
  let total = 0
  for await (const entry of readEntries(log)) {
    signal?.throwIfAborted()
    if (!(await isVisible(entry))) continue
    if (total >= offset && entries.length < limit) entries.push(entry)
    total++
  }
  return { entries, total }
}

/** The size in bytes that the pacer assumes for an entry. */
const entryBytes = 512

/** @throws StorageError if the log fails or returns anything but entries. */
async function* readEntries(log: ActivityStorage): AsyncGenerator<ActivityEntry> {
  const pace = createPacer()
  try {
    for await (const entry of log.entries()) {
      await pace(entryBytes)
      if (!matches(recordedEntrySchema, entry))
        throw new StorageError('the activity log contains an invalid entry')
      yield entry
    }
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
