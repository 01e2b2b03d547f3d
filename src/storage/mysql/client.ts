/** Describes a MySQL driver. */

/**
 * A pool, or a connection that is not in a transaction: the member that the store uses of the
 * `Pool` and `Connection` of `mysql2/promise` and of `mariadb`.
 */
export interface MysqlClient {
  /**
   * Runs one statement as a prepared one, which commits by itself. `values` are its parameters `?`:
   * bytes (as `Buffer`), strings, numbers or null. Resolves with the result in the form of either
   * driver: `[rows, fields]` or `rows` of a statement that reads, `[header]` or `header` of one that
   * writes. A row has one member per column: binary columns are Uint8Arrays, integers are numbers,
   * bigints or strings. A header has `affectedRows`.
   */
  execute(text: string, values: MysqlValue[]): Promise<unknown>
}

/** A parameter of a statement. */
export type MysqlValue = Uint8Array | string | number | null
