/** A log that keeps every line, and the entries that they are about. */

import { createCallbackActivityLog } from '../../../src/activity.js'
import type { ActivityEntry, ActivityLog } from '../../../src/index.js'

/** What a test compares of an entry. */
export type EntrySummary = Partial<
  Pick<ActivityEntry, 'operation' | 'result' | 'code' | 'credential' | 'use'> & {
    readonly action: string
    readonly caller: string
    readonly version: number
  }
>

/** An activity log, and what was recorded in it. */
export interface RecordedCalls {
  readonly activity: ActivityLog
  /**
   * Runs `call` to its end, whether or not it rejects, and returns the entries of that time. Of the
   * lines about one entry the last one counts.
   */
  entriesOf(call: () => Promise<unknown>): Promise<readonly EntrySummary[]>
}

/** Creates a log. */
export function createRecordedCalls(): RecordedCalls {
  const lines: ActivityEntry[] = []
  return {
    activity: createCallbackActivityLog((entry) => lines.push(entry)),
    async entriesOf(call) {
      const first = lines.length
      await call().catch(() => {})
      const entries = new Map<string, ActivityEntry>()
      for (const entry of lines.slice(first))
        entries.set(`${entry.requestId} ${entry.resource.item?.id}`, entry)
      return [...entries.values()].map(toSummary)
    },
  }
}

function toSummary({ operation, action, result, code, ...entry }: ActivityEntry): EntrySummary {
  const { actor, credential, use, resource } = entry
  const version = resource.itemVersion
  return {
    ...{ operation, action, result, caller: actor.id },
    ...(code !== undefined && { code }),
    ...(credential && { credential }),
    ...(use && { use }),
    ...(version !== undefined && { version }),
  }
}
