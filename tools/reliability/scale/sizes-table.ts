/** The table of sizes in `docs/scaling.md`. */

import type { RecordSize } from './measure-sizes.js'

/** The sizes as a table in Markdown, and the sums for a number of vaults. */
export function sizesTable(sizes: readonly RecordSize[], vaults: number): string {
  const lines = sizes.map(
    ({ collection, perVault, key, indexKey, body, plainBody, table, indexes }) => [
      `\`${collection}\``,
      format(perVault),
      format(key),
      format(indexKey),
      plainBody === undefined ? '' : format(plainBody),
      format(body),
      format(roundToTen(table)),
      format(roundToTen(indexes)),
      formatGigabytes(vaults * perVault * (roundToTen(table) + roundToTen(indexes))),
    ],
  )
  const bytes = sizes.reduce(
    (sum, { perVault, table, indexes }) =>
      sum + vaults * perVault * (roundToTen(table) + roundToTen(indexes)),
    0,
  )
  const header = [
    ...['collection', 'records a vault', 'key', 'index key', 'body', 'body, encrypted'],
    ...['PostgreSQL, table', 'PostgreSQL, indexes', `${format(vaults)} vaults`],
  ]
  const rule = ['---', ...header.slice(1).map(() => '--:')]
  const sum = ['together', ...Array.from({ length: 7 }, () => ''), formatGigabytes(bytes)]
  return [header, rule, ...lines, sum].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function roundToTen(bytes: number): number {
  return Math.round(bytes / 10) * 10
}

function format(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function formatGigabytes(bytes: number): string {
  const gigabytes = bytes / 1e9
  return `${gigabytes < 10 ? gigabytes.toFixed(1) : format(gigabytes)} GB`
}
