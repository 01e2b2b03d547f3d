/** Lists the entries of the activity log that a caller can see. */

import { StorageError } from '../../errors.js'
import { createPacer } from '../../pacer.js'
import {
  type ActivityEntry,
  type ActivityLog,
  type ActivityPage,
  activityInputSchema,
  recordedEntrySchema,
} from '../../schema/activity.js'
import { matches } from '../../schema/parse.js'
import type { Caller } from '../access/caller.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { toVaultError } from '../runtime/guard-store.js'

/** Input of `listActivity`. */
export interface ListActivityInput {
  /** The maximum number of entries, 1 to 1,000; 50 if absent. */
  readonly limit?: number | undefined
  /** The number of newest entries to skip, 0 or more; 0 if absent. */
  readonly offset?: number | undefined
}

/**
 * Returns a page of the activity log, newest first; empty without a log. Every call reads the whole
 * log, because all visible entries are counted.
 */
export const listActivity = defineOperation({
  name: 'listActivity',
  target: 'service',
  permissions: [],
  activity: ['READ', 'VAULT'],
  errors: operationErrors.list,
  input: activityInputSchema,
  async run({ context, caller }, { limit = 50, offset = 0 }): Promise<ActivityPage> {
    const isVisible = createVisibilityCheck(caller)
    const entries: ActivityEntry[] = []
    let total = 0
    for await (const entry of readEntries(context.activity?.log)) {
      context.signal?.throwIfAborted()
      if (!(await isVisible(entry))) continue
      if (total >= offset && entries.length < limit) entries.push(entry)
      total++
    }
    return { entries, total }
  },
})

/** The size in bytes that the pacer assumes for an entry. */
const entryBytes = 512

/** @throws StorageError if the log fails or returns anything but entries. */
async function* readEntries(log: ActivityLog | undefined): AsyncGenerator<ActivityEntry> {
  const pace = createPacer()
  try {
    for await (const entry of log?.entries() ?? []) {
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
