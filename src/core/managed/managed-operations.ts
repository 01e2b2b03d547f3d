/** The operations of credentials and of token keepers, which a service executes by their names. */

import { saveCredential } from './save-credential.js'
import { saveGrant } from './save-grant.js'
import { useGrant } from './use-grant.js'
import { verifyCredential } from './verify-credential.js'

/** Every managed operation. None is a method of the service. */
export const managedOperations = { saveCredential, verifyCredential, saveGrant, useGrant }
