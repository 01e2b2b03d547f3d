/** What every record store promises, as cases. */

import type { RecordStore } from '../index.js'
import type { ContractCase } from './contract.js'
import { recordListCases } from './record-list-cases.js'
import { recordWriteCases } from './record-write-cases.js'

/** Run each case against an empty store of its own. */
export const recordStoreContract: readonly ContractCase<RecordStore>[] = [
  ...recordWriteCases,
  ...recordListCases,
]
