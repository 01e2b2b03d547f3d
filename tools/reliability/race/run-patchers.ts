/** Patchers that change one item at the same time, each a field of its own, without pauses. */

import { createCaller, createVaultService, isVaultError, type VaultStore } from 'cofferkit'
import { countAttempts } from './count-attempts.js'

/** The share of one process. */
export interface Share {
  readonly vaultId: string
  readonly itemId: string
  /** The ids of the fields, one for each patcher. */
  readonly fieldIds: readonly string[]
  /** Number of changes of each patcher. */
  readonly patches: number
}

/** The results of the patchers. */
export interface Report {
  /** The last value of each field whose change was acknowledged. */
  readonly values: ReadonlyMap<string, number>
  readonly acknowledged: number
  /** Rejections with 409. These changes were repeated. */
  readonly rejected: number
  /** Changes with an unknown outcome, because the store failed. */
  readonly unknown: number
  /** Number of puts of each acknowledged change. */
  readonly attempts: readonly number[]
}

interface MutableReport {
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
  const report: MutableReport = {
    values: new Map(),
    acknowledged: 0,
    rejected: 0,
    unknown: 0,
    attempts: [],
  }
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
        await changeUntilKnown(report, fieldId, value, () => change(fieldId, value))
    }),
  )
  return report
}

/** Repeats the change until it is acknowledged or its outcome is unknown. */
async function changeUntilKnown(
  report: MutableReport,
  fieldId: string,
  value: number,
  change: () => Promise<number>,
): Promise<void> {
  for (;;) {
    try {
      report.attempts.push(await change())
      report.values.set(fieldId, value)
      report.acknowledged++
      return
    } catch (error) {
      if (!isVaultError(error)) throw error
      if (error.code !== 'CONFLICT') {
        if (error.status < 500) throw error
        report.unknown++
        return
      }
      report.rejected++
    }
  }
}
