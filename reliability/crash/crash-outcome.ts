/** What came of a run of crashes. */

import type { Caller, VaultService } from 'cofferkit'

/** In numbers, but for what is wrong. */
export interface Outcome {
  readonly acknowledged: number
  /** Meant, not acknowledged, and there. */
  readonly there: number
  /** Meant, not acknowledged, and not there. */
  readonly absent: number
  readonly lost: readonly string[]
  readonly torn: readonly string[]
  readonly duplicated: readonly string[]
  /** Contents that no item names, removed by `collectGarbage` in the end. */
  readonly collected: number
  /** Contents, whole or not, that were still there afterwards and that no item names. */
  readonly orphans: number
}

/** Sweeps a vault; answers how many contents were removed, and how many the items that are left name. */
export async function collectVault(
  service: VaultService,
  caller: Caller,
  vaultId: string,
): Promise<{ readonly collected: number; readonly named: number }> {
  const collected = await service.collectGarbage(caller, { vaultId })
  let named = 0
  for (const { id: itemId } of await service.listItems(caller, { vaultId }))
    named += (await service.getItem(caller, { vaultId, itemId })).files.length
  return { collected, named }
}
