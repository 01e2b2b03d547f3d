/** Asks a credential's provider whether its values work. */

import { redactError } from '../base/redact-error.js'
import { withTimeout } from '../base/with-timeout.js'
import { RuleError } from '../errors.js'
import type { CredentialCheck, CredentialTarget } from './credential-item.js'
import type { CredentialValues } from './credential-kind.js'

/** The credential that was to be verified. */
export interface VerifiedCredential {
  /** The name of its kind. */
  readonly name: string
  /** Not set if the credential was saved without an account. */
  readonly account?: string
}

/** How credentials are verified. */
export interface VerifyOptions {
  /** How long a call of `verify` may take, in milliseconds. */
  readonly verifyTimeoutMs: number
  readonly onVerifyError: ((error: Error, credential: VerifiedCredential) => void) | undefined
}

/**
 * Returns the result of verifying the values. @throws RuleError if `verify` does not return a
 * boolean.
 */
export type Verifier = (values: CredentialValues) => Promise<CredentialCheck>

/** Creates the verifier of a credential. */
export function createVerifier(
  target: CredentialTarget,
  now: () => Date,
  options: VerifyOptions,
): Verifier {
  return async (values) => {
    const status = await verifyValues(target, values, options)
    return { status, checkedAt: now().toISOString() }
  }
}

async function verifyValues(
  { kind, name, account }: CredentialTarget,
  values: CredentialValues,
  { verifyTimeoutMs, onVerifyError }: VerifyOptions,
): Promise<CredentialCheck['status']> {
  if (kind.verify === undefined) return 'unverified'
  const controller = new AbortController()
  const { signal } = controller
  const stop = (): Error => {
    const error = new DOMException('verify took too long', 'TimeoutError')
    controller.abort(error)
    return error
  }
  let isValid: unknown
  try {
    const call = (async () => kind.verify?.({ ...values }, { signal }))()
    isValid = await withTimeout<unknown>(call, verifyTimeoutMs, stop)
  } catch (error) {
    // The error may contain a value, for example in a header.
    const redacted = redactError(error)
    const credential = { name, ...(account !== undefined && { account }) }
    // If the hook throws or rejects, that is ignored.
    await (async () => onVerifyError?.(redacted, credential))().catch(() => {})
    return 'unverified'
  }
  if (isValid === true) return 'ok'
  if (isValid === false) return 'rejected'
  throw new RuleError(`verify of ${name} did not return true or false`)
}
