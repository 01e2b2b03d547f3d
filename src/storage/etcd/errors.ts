/** Converts failures of etcd. No error contains a message of the server or of `fetch`. */

import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import { StorageError, StorageUnavailableError } from '../../errors.js'

/** The meaning of a failure for the request. */
export type FailureKind =
  /** The request was not sent. Another endpoint can be tried. */
  | 'not-sent'
  /** The server did not execute it, because the token is missing, unknown or outdated. */
  | 'unauthenticated'
  /** The server or the connection failed. Another endpoint may work. The outcome is unknown. */
  | 'unavailable'
  /** Every endpoint would return the same. */
  | 'failed'

/** The revision of a page is no longer stored. The page can be read again at a newer one. */
export class CompactedRevisionError extends StorageUnavailableError {}

/** A failed request. It never leaves the connection. */
export class EtcdFailure extends Error {
  readonly kind: FailureKind
  /** The error for the caller of the store. */
  readonly error: StorageError

  constructor(kind: FailureKind, error: StorageError) {
    super(error.message)
    this.kind = kind
    this.error = error
  }
}

/** Messages of etcd, and how they are reported. The first that matches counts. */
const knownMessages: readonly (readonly [RegExp, FailureKind, string])[] = [
  [/invalid auth token|auth store is old/, 'unauthenticated', 'etcd does not accept the token'],
  [
    /user name is empty|user name not found/,
    'unauthenticated',
    'etcd requires a user and password',
  ],
  [/authentication failed/, 'failed', 'etcd does not accept the user name or the password'],
  [/authentication is not enabled/, 'failed', 'authentication is not enabled in etcd'],
  [/permission denied/, 'failed', 'the user has no permission for the keys in etcd'],
  [/request is too large|larger than max/, 'failed', 'the request is larger than etcd accepts'],
  [/too many operations/, 'failed', 'etcd accepts fewer operations in a transaction than needed'],
]

/** gRPC codes: canceled, unknown, deadline exceeded, resource exhausted, aborted, unavailable. */
const unavailableCodes: readonly unknown[] = [1, 2, 4, 8, 10, 14]
const unauthenticatedCode = 16

/** Codes of Node for the certificate of a server: https://nodejs.org/api/tls.html */
const untrustedCodes: ReadonlySet<unknown> = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Returns the failure for a response that is an error. `body` is its parsed JSON. */
export function toFailure(status: number, body: unknown): EtcdFailure {
  const texts = [safeGet(body, 'message'), safeGet(body, 'error')]
  const text = texts.find((each) => typeof each === 'string') ?? ''
  const code = safeGet(body, 'code')
  const cause = redactError({ name: `HTTP_${status}`, code: `gRPC_${Number(code)}` })
  // A full cluster rejects writes until it is compacted and the alarm is disarmed.
  if (/database space exceeded/.test(text))
    return new EtcdFailure(
      'failed',
      unavailableError('etcd has used up its space quota: compact it, and disarm the alarm', cause),
    )
  if (/revision has been compacted/.test(text)) {
    const message = 'the revision was compacted while it was read'
    return new EtcdFailure('failed', new CompactedRevisionError(message, { cause }))
  }
  for (const [pattern, kind, message] of knownMessages)
    if (pattern.test(text)) return new EtcdFailure(kind, new StorageError(message, { cause }))
  if (status === 401 || code === unauthenticatedCode)
    return new EtcdFailure(
      'unauthenticated',
      new StorageError('etcd requires a user and password', { cause }),
    )
  if (unavailableCodes.includes(code) || [408, 429, 502, 503, 504].includes(status))
    return new EtcdFailure('unavailable', unavailableError('etcd is not available', cause))
  return new EtcdFailure('failed', new StorageError('etcd rejected the request', { cause }))
}

/** Returns the failure for an error that `fetch` has thrown, even while the body was read. */
export function toSendFailure(error: unknown): EtcdFailure {
  const inner = [safeGet(error, 'cause'), error]
  const code = inner.map((each) => safeGet(each, 'code')).find((each) => typeof each === 'string')
  const cause = redactError({ name: safeGet(error, 'name'), code })
  let message = 'etcd cannot be reached'
  if (safeGet(error, 'name') === 'TimeoutError') message = 'etcd did not respond in time'
  if (untrustedCodes.has(code)) message = 'the certificate of etcd is not trusted'
  return new EtcdFailure(
    wasNotSent(safeGet(error, 'cause')) ? 'not-sent' : 'unavailable',
    unavailableError(message, cause),
  )
}

/** Returns the error for an answer that etcd never sends, such as one with an invalid number. */
export function unexpectedAnswerError(): StorageError {
  return new StorageError('unexpected data from etcd')
}

function unavailableError(message: string, cause: Error): StorageError {
  return new StorageUnavailableError(message, { cause })
}

/**
 * Returns true if no connection was made. The system call that failed tells. The code alone does
 * not, because an open connection can fail with EHOSTUNREACH after the request was sent.
 */
function wasNotSent(cause: unknown): boolean {
  const errors = safeGet(cause, 'errors')
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(wasNotSent)
  const syscall = safeGet(cause, 'syscall')
  const code = safeGet(cause, 'code')
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT'
}
