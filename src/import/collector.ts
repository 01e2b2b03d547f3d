/** Collects the items, files and losses of an export. */

import { checkItemCount, type ReadLimits } from './limits.js'
import type {
  ImportedFile,
  ImportedItem,
  ImportFormat,
  ImportLoss,
  ImportResult,
  ReportLoss,
} from './result.js'

/** The result of a reader while it is being built. */
export interface Collector {
  /** Reports a loss that concerns the entire export. */
  readonly report: ReportLoss
  /** Returns a function that reports losses of an item. */
  reportFor(sourceId: string): ReportLoss
  /**
   * Returns the source id of the next item: the format and `id`, with a number if another item has
   * the same.
   * @throws InvalidInputError if the export has too many items.
   */
  claimId(id: string): string
  addItem(item: ImportedItem, files: readonly ImportedFile[]): void
  toResult(): ImportResult
}

/** Maximum length of a source's own id. The rest is cut off. */
const maxIdLength = 200

/** Returns an empty result that items can be added to. */
export function createCollector(format: ImportFormat, limits: ReadLimits): Collector {
  const items: ImportedItem[] = []
  const files: ImportedFile[] = []
  const losses: ImportLoss[] = []
  const claimed = new Map<string, number>()
  let count = 0
  return {
    report: (path, kind, message) => losses.push({ path, kind, message }),
    reportFor: (sourceId) => (path, kind, message) =>
      losses.push({ path, kind, message, sourceId }),
    claimId(id) {
      count++
      checkItemCount(count, limits)
      // Without `#`, which separates the number.
      const base = `${format}:${id.slice(0, maxIdLength).replace(/[^\w.~+/=@{}-]/g, '_')}`
      const number = (claimed.get(base) ?? 0) + 1
      claimed.set(base, number)
      return number === 1 ? base : `${base}#${number}`
    },
    addItem(item, filesOfItem) {
      items.push(item)
      for (const file of filesOfItem) files.push(file)
    },
    toResult: () => ({ format, items, files, losses }),
  }
}
