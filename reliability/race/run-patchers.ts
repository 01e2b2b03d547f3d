/** Patchers that change one item at once, each a field of its own, as fast as they can. */

import { createCaller, createVaultService, isVaultError, type VaultStore } from 'cofferkit'
import { countAttempts } from './count-attempts.js'

/** The share of one process. */
export interface Share {
  readonly vaultId: string
  readonly itemId: string
  /** The ids of the fields, one for each patcher. */
  readonly fieldIds: readonly string[]
  /** How many changes each patcher makes. */
  readonly patches: number
}

/** What the patchers were told. */
export interface Report {
  /** The last value of each field whose change was acknowledged. */
  readonly values: ReadonlyMap<string, number>
  readonly acknowledged: number
  /** Changes that were rejected with 409; they were made again. */
  readonly rejected: number
  /** Changes of which nobody knows, because the store failed. */
  readonly unknown: number
  /** Of each acknowledged change. */
  readonly attempts: readonly number[]
}

interface Tally {
  readonly values: Map<string, number>
  acknowledged: number
  rejected: number
  unknown: number
  readonly attempts: number[]
}

/** Resolves when every patcher has made its changes. */
export async function runPatchers({ records, blobs }: VaultStore, share: Share): Promise<Report> {
  const counted = countAttempts(records)
  const service = createVaultService({ store: { records: counted.records, blobs } })
  const tally: Tally = { values: new Map(), acknowledged: 0, rejected: 0, unknown: 0, attempts: [] }
  const { vaultId, itemId } = share
  const caller = createCaller('patcher', '*')
  const change = (fieldId: string, value: number): Promise<number> => {
    const path = `/fields/${fieldId}/value`
    const patch = [{ op: 'replace', path, value: String(value) }] as const
    const work = () => service.patchItem(caller, { vaultId, itemId, patch })
    return counted.countDuring(work).then(({ attempts }) => attempts)
  }
  await Promise.all(
    share.fieldIds.map(async (fieldId) => {
      for (let value = 1; value <= share.patches; value++)
        await acknowledged(tally, fieldId, value, () => change(fieldId, value))
    }),
  )
  return tally
}

/** Makes the change until it is acknowledged or nobody knows whether it was made. */
async function acknowledged(
  tally: Tally,
  fieldId: string,
  value: number,
  change: () => Promise<number>,
): Promise<void> {
  for (;;) {
    try {
      tally.attempts.push(await change())
      tally.values.set(fieldId, value)
      tally.acknowledged++
      return
    } catch (error) {
      if (!isVaultError(error)) throw error
      if (error.code !== 'CONFLICT') {
        if (error.status < 500) throw error
        tally.unknown++
        return
      }
      tally.rejected++
    }
  }
}
