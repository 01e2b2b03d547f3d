/** What every mount of the vault on HTTP promises, as cases. */

import type { ContractCase } from './contract.js'
import { bodyCases } from './http-body-cases.js'
import type { MountUnderTest } from './http-client.js'
import { listCases } from './http-list-cases.js'
import { operationCases } from './http-operation-cases.js'
import { refusalCases } from './http-refusal-cases.js'
import { wireCases } from './http-wire-cases.js'

export type { MountUnderTest } from './http-client.js'

/** Run each case over a real socket, against a mount of a test vault of its own. */
export const httpContract: readonly ContractCase<MountUnderTest>[] = [
  ...operationCases,
  ...listCases,
  ...refusalCases,
  ...wireCases,
  ...bodyCases,
]
