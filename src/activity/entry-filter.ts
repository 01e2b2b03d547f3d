/** The filters of a list of entries. */

import { object } from '../base/argument.js'
import type { ActivityQuery } from '../core/runtime/activity-log.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { escapeInvisible } from './recorded-texts.js'

/**
 * Creates a check for entries that you read from a log yourself, with the filters of `listActivity`.
 * @param query - `vaultId`, `itemId`, `callerId`, `operation`, `result`, `since` and `until`. An
 * empty query matches every entry. The other members of a query are ignored.
 * @returns A function that returns true for an entry that matches every filter.
 * @throws TypeError if `query` is not an object.
 * @example
 * ```ts
 * import { createEntryFilter } from 'cofferkit/activity'
 *
 * const isRejected = createEntryFilter({ result: 'DENY', operation: 'useField' })
 * const rejected = entries.filter(isRejected)
 * ```
 */
export function createEntryFilter(query: ActivityQuery): (entry: ActivityEntry) => boolean {
  object()(query, 'query')
  const { vaultId, itemId, callerId, operation, result, since = '', until = '' } = query
  const actorId = callerId === undefined ? undefined : escapeInvisible(callerId)
  const [sinceTime, untilTime] = [Date.parse(since), Date.parse(until)]
  return ({ actor, resource, timestamp, ...entry }) => {
    const time = Date.parse(timestamp)
    const ofVault = resource.item === undefined && entry.operation === 'deleteVault'
    return (
      (vaultId === undefined || resource.vault?.id === vaultId) &&
      (itemId === undefined || resource.item?.id === itemId || ofVault) &&
      (actorId === undefined || actor.id === actorId) &&
      (operation === undefined || entry.operation === operation) &&
      (result === undefined || entry.result === result) &&
      !(time < sinceTime || time >= untilTime)
    )
  }
}
