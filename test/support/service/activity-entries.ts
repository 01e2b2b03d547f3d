/** Activity entries, and the content of a log. */

import type { ActivityEntry, ActivityLog } from '../../../src/index.js'

const start = Date.parse('2026-01-01T00:00:00.000Z')

let count = 0

/**
 * Creates an entry of this actor, this many milliseconds after the start of the test clock. Its
 * `requestId` is greater than those of all entries before.
 */
export function createEntry(actorId: string, milliseconds = 0): ActivityEntry {
  const digits = (++count).toString(16).padStart(6, '0')
  return {
    requestId: `00000000-0000-7${digits.slice(0, 3)}-8${digits.slice(3)}-000000000000`,
    timestamp: new Date(start + milliseconds).toISOString(),
    operation: 'listVaults',
    action: 'READ',
    result: 'SUCCESS',
    actor: { id: actorId },
    resource: { type: 'VAULT' },
  }
}

/** Returns all entries of a log in order. */
export async function readEntries(log: ActivityLog): Promise<ActivityEntry[]> {
  const listed: ActivityEntry[] = []
  for await (const entry of log.entries()) listed.push(entry)
  return listed
}
