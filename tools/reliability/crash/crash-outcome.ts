/** The outcome of a run of crashes. */

import type { Caller, VaultService } from 'cofferkit'

/** Numbers of writes and blobs, and the names of what is wrong. */
export interface CrashOutcome {
  readonly acknowledged: number
  /** Unacknowledged writes that are present. */
  readonly present: number
  /** Unacknowledged writes that are absent. */
  readonly absent: number
  readonly lost: readonly string[]
  readonly torn: readonly string[]
  readonly duplicated: readonly string[]
  /** Blobs without an item that `collectGarbage` removed at the end. */
  readonly collected: number
  /** Blobs without an item, complete or not, that were stored even after that. */
  readonly orphans: number
}

/** One line for each kind of failure, with its first five names. */
export function listFailures({
  lost,
  torn,
  duplicated,
  orphans,
}: Pick<CrashOutcome, 'lost' | 'torn' | 'duplicated' | 'orphans'>): string[] {
  const kinds = { lost, torn, duplicated, orphans: orphans === 0 ? [] : [String(orphans)] }
  return Object.entries(kinds)
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => `${kind}: ${names.slice(0, 5).join(', ')}`)
}

/**
 * Collects the garbage of a vault. Returns the number of removed blobs, and of the files that
 * items still reference.
 */
export async function collectVault(
  service: VaultService,
  caller: Caller,
  vaultId: string,
): Promise<{ readonly collected: number; readonly referenced: number }> {
  const collected = await service.collectGarbage(caller, { vaultId })
  let referenced = 0
  for (const { id: itemId } of await service.listItems(caller, { vaultId }))
    referenced += (await service.getItem(caller, { vaultId, itemId })).files.length
  return { collected, referenced }
}
