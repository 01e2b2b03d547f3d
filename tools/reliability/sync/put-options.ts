/** The options of the traced process, its records and its acknowledgements. */

/** Options of the process, passed as JSON in its first argument. */
export interface PutOptions {
  readonly path: string
  readonly driver: string
  /** SQLite's `synchronous`; the store itself sets `full`. */
  readonly synchronous: 'full' | 'normal'
  readonly records: number
  /** Number of callers, each of which puts one record after the other. */
  readonly concurrency: number
}

/** The body of a record, which can be found in the bytes that are written to the file. */
export function bodyOf(record: number): string {
  return `(record ${record})`
}

/** The printed line for an acknowledged record. */
export function acknowledgementOf(record: number): string {
  return `(acknowledged ${record})`
}
