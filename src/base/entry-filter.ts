/** The filters of a list of activity entries, and the form in which entries have ids of callers. */

/** The members of an activity entry that filters read. */
interface FilteredEntry {
  readonly timestamp: string
  readonly operation: string
  readonly result: string
  readonly actor: { readonly id: string }
  readonly resource: {
    readonly vault?: { readonly id: string }
    readonly item?: { readonly id: string }
  }
}

/** The filters. An entry must match every member that is set. */
interface EntryFilters {
  readonly vaultId?: string | undefined
  readonly itemId?: string | undefined
  readonly callerId?: string | undefined
  readonly operation?: string | undefined
  readonly result?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Returns a function that returns true for an entry that matches every filter. */
export function createEntryFilter(filters: EntryFilters): (entry: FilteredEntry) => boolean {
  const { vaultId, itemId, callerId, operation, result, since = '', until = '' } = filters
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

/**
 * Escapes invisible characters as `\u{a}`, and a backslash before `u{` as `\u{5c}`. The result is
 * one line, and different strings have different results.
 */
export function escapeInvisible(text: string): string {
  return text.replace(
    /[\p{C}\p{Zl}\p{Zp}]|\\(?=u\{)/gu,
    (character) => `\\u{${Number(character.codePointAt(0)).toString(16)}}`,
  )
}
