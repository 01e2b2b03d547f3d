/** Answers a part of the activity log, newest first. */

import { StorageError } from '../../errors.js'
import { createPacer } from '../../pacer.js'
import {
  type ActivityEntry,
  type ActivityPage,
  activityInputSchema,
  recordedEntrySchema,
} from '../../schema/activity.js'
import { matches, parse } from '../../schema/parse.js'
import { requireCaller } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import type { Context } from '../runtime/context.js'
import { ownError } from '../runtime/guard-store.js'
import type { ActivityLog } from './activity-log.js'

/** What `listActivity` is told. */
export interface ListActivityInput {
  /** 1 to 1,000; 50 if absent. */
  readonly limit?: number | undefined
  /** How many of the newest entries are left out; none if absent. */
  readonly offset?: number | undefined
}

/** The operation `listActivity` of the service. The whole log is walked, because all that may be seen is counted. */
export async function listActivity(
  context: Context,
  caller: Caller | undefined,
  input: ListActivityInput,
): Promise<ActivityPage> {
  const reader = requireCaller(caller)
  const { limit = 50, offset = 0 } = parse(activityInputSchema, input)
  const isVisible = createVisibilityCheck(reader)
  const entries: ActivityEntry[] = []
  let total = 0
  for await (const entry of readEntries(context.activity?.log)) {
    if (!(await isVisible(entry))) continue
    if (total >= offset && entries.length < limit) entries.push(entry)
    total++
  }
  return { entries, total }
}

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
