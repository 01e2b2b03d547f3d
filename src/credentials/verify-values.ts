/** Asks the provider of a credential about its values. */

import { withTimeout } from '../base/with-timeout.js'
import type { CredentialCheck } from './credential-item.js'
import type { CredentialKind, CredentialValues } from './credential-kind.js'

/** Returns the result of verifying the values. */
export type Verifier = (values: CredentialValues) => Promise<CredentialCheck>

/**
 * Creates the verifier of a kind.
 * @param timeoutMs - Milliseconds for each call of `verify`.
 */
export function createVerifier(kind: CredentialKind, now: () => Date, timeoutMs: number): Verifier {
  return async (values) => {
    const status = await verifyValues(kind, values, timeoutMs)
    return { status, checkedAt: now().toISOString() }
  }
}

async function verifyValues(
  kind: CredentialKind,
  values: CredentialValues,
  timeoutMs: number,
): Promise<CredentialCheck['status']> {
  if (kind.verify === undefined) return 'unverified'
  const controller = new AbortController()
  const { signal } = controller
  const stop = (): Error => {
    const error = new Error('verify took too long')
    controller.abort(error)
    return error
  }
  try {
    const call = (async () => kind.verify?.({ ...values }, { signal }))()
    const isValid: unknown = await withTimeout(call, timeoutMs, stop)
    if (isValid === true) return 'ok'
    return isValid === false ? 'rejected' : 'unverified'
  } catch {
    // The error can contain a value, for example of a header.
    return 'unverified'
  }
}
