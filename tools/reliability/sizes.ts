/**
 * Prints the table of `docs/scaling.md` with the sizes of records, and of a million vaults.
 *
 * `npm run prove -- sizes`
 */

import { measureSizes } from './scale/measure-sizes.js'
import { sizesTable } from './scale/sizes-table.js'
import { print } from './support/table.js'

print(sizesTable(await measureSizes(), 1_000_000))
