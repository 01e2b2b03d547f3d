/** The contract of an HTTP mount. */

import { type ContractCase, checkSubjects } from '../../base/contract-case.js'
import { bodyCases } from './body-cases.js'
import type { HttpTarget } from './client.js'
import { errorCases } from './error-cases.js'
import { listCases } from './list-cases.js'
import { operationCases } from './operation-cases.js'
import { wireCases } from './wire-cases.js'

export type { HttpTarget, PlatformLimits } from './client.js'

/**
 * The promises of every HTTP mount, as cases. Run each case over a real socket, against a mount of a
 * new test vault. Set `platform` of the target if the platform changes requests before the mount
 * gets them.
 */
export const httpContract: readonly ContractCase<HttpTarget>[] = checkSubjects(
  [...operationCases, ...listCases, ...errorCases, ...wireCases, ...bodyCases],
  { origin: '', vault: { vaultId: '', item: {}, tokens: {} } },
  'target',
)
