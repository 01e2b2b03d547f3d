/** Answers a part of the activity log, newest first. */

import { StorageError } from '../../errors.js'
import { createPacer } from '../../pacer.js'
import {
  type ActivityEntry,
  type ActivityPage,
  activityInputSchema,
  recordedEntrySchema,
} from '../../schema/activity.js'
import { matches } from '../../schema/parse.js'
import type { Caller } from '../access/caller.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { ownError } from '../runtime/guard-store.js'
import type { ActivityLog } from './activity-log.js'

/** Input of `listActivity`. */
export interface ListActivityInput {
  /** 1 to 1,000; 50 if absent. */
  readonly limit?: number | undefined
  /** How many of the newest entries are left out; none if absent. */
  readonly offset?: number | undefined
}

/** Returns a page of the activity log, newest first. The whole log is read, because visible entries are counted. */
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
      if (!(await isVisible(entry))) continue
      if (total >= offset && entries.length < limit) entries.push(entry)
      total++
    }
    return { entries, total }
  },
})

/** As which an entry counts towards a stretch of work. */
const entryBytes = 512

/** @throws StorageError if the log fails, or holds something else than entries, whoever wrote it. */
async function* readEntries(log: ActivityLog | undefined): AsyncGenerator<ActivityEntry> {
  const pace = createPacer()
  try {
    for await (const entry of log?.entries() ?? []) {
      await pace(entryBytes)
      if (!matches(recordedEntrySchema, entry))
        throw new StorageError('the activity log holds no entry there')
      yield entry
    }
  } catch (error) {
    throw ownError(error, 'the activity log failed')
  }
}

/** An entry is for those who may read its vault; one of no vault for who is its actor. Each vault is asked for once. */
function createVisibilityCheck(
  caller: Caller,
): (entry: ActivityEntry) => boolean | Promise<boolean> {
  const asked = new Map<string, boolean | Promise<boolean>>()
  return ({ actor, resource: { vault } }) => {
    if (vault === undefined) return actor.id === String(caller.id)
    const known = asked.get(vault.id) ?? isTrue(caller.can('read', vault.id))
    asked.set(vault.id, known)
    return known
  }
}

async function isTrue(answer: boolean | Promise<boolean>): Promise<boolean> {
  return (await answer) === true
}
