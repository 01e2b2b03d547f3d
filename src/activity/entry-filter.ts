/** The filters of a list of entries. */

import type { ActivityQuery } from '../core/runtime/activity-log.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { escapeInvisible } from './recorded-texts.js'

/** Returns the check whether an entry matches every filter of a query. */
export function createEntryFilter({
  vaultId,
  itemId,
  callerId,
  operation,
  result,
  since = '',
  until = '',
}: ActivityQuery): (entry: ActivityEntry) => boolean {
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
