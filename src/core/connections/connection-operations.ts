/** The operations of credentials and of token keepers. A service executes them by name. */

import type { AnyOperation } from '../operation/define-operation.js'
import type { MethodName, OperationName } from '../vault-service.js'
import { describeCredential, listCredentials } from './describe-credential.js'
import { listGrants, loadGrant } from './load-grant.js'
import { refreshGrant } from './refresh-grant.js'
import { removeCredential } from './remove-credential.js'
import { revealCredential } from './reveal-credential.js'
import { saveCredential } from './save-credential.js'
import { saveGrant } from './save-grant.js'
import { verifyCredential } from './verify-credential.js'

/** The operations that are no methods of the service, by name. */
export const connectionOperations = {
  saveCredential,
  describeCredential,
  listCredentials,
  verifyCredential,
  revealCredential,
  removeCredential,
  saveGrant,
  loadGrant,
  listGrants,
  refreshGrant,
} satisfies Record<Exclude<OperationName, MethodName>, AnyOperation>
