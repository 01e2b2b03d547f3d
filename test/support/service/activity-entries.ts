/** Entries of an activity log, and what a log lists. */

import type { ActivityEntry, ActivityLog } from '../../../src/index.js'

const start = Date.parse('2026-01-01T00:00:00.000Z')

/** An entry of this actor, so many milliseconds after the clock of the tests begins. */
export function entryOf(actorId: string, milliseconds = 0): ActivityEntry {
  return {
    requestId: '00000000-0000-4000-8000-000000000000',
    timestamp: new Date(start + milliseconds).toISOString(),
    action: 'READ',
    result: 'SUCCESS',
    actor: { id: actorId },
    resource: { type: 'VAULT' },
  }
}

/** Everything that the log lists, in its order. */
export async function listOf(log: ActivityLog): Promise<ActivityEntry[]> {
  const listed: ActivityEntry[] = []
  for await (const entry of log.entries()) listed.push(entry)
  return listed
}
