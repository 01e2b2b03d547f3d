/** What the watched process is told, and what it writes and says. */

/** What the process is told, as JSON in its first argument. */
export interface PutOptions {
  readonly path: string
  readonly driver: 'node:sqlite' | 'better-sqlite3'
  /** SQLite's `synchronous`; the store itself sets `full`. */
  readonly synchronous: 'full' | 'normal'
  readonly records: number
  /** Callers, each of which puts one record after the other. */
  readonly concurrency: number
}

/** What a record holds, which is found again in what is written to the file. */
export function bodyOf(record: number): string {
  return `(record ${record})`
}

/** What is said of a record that is acknowledged. */
export function acknowledgementOf(record: number): string {
  return `(acknowledged ${record})`
}
