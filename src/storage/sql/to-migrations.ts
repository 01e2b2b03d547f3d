/** Names the versions of the tables of a store, for migration tools. */

import type { Migration } from '../../store.js'

/** Returns a migration for each version, whose statements are given in order. */
export function toMigrations(
  tablePrefix: string,
  versions: readonly (readonly string[])[],
): readonly Migration[] {
  return versions.map((statements, index) => ({
    name: `${tablePrefix}${String(index + 1).padStart(3, '0')}_tables`,
    statements,
  }))
}
