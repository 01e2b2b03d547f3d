/** Reads what the error of a PostgreSQL driver means, however deep an ORM has hidden it. */

import { StorageError, StorageUnavailableError } from '../../errors.js'
import { redactError } from '../../redact-error.js'
import { safeGet } from '../../safe-get.js'

/** The server undid the whole statement: serialization failure and deadlock (PostgreSQL manual, appendix A). */
const retryableCodes = /^(?:40001|40P01)$/

/** Connections, resources, shutdown, time limits, a standby, too much at once; then what Node, postgres.js and Prisma call it. */
const unavailable = [
  /^(?:08...|53...|57014|57P0[1235]|55P03|25006|40...)$/,
  /^(?!ERR_)E[A-Z]{2,}(?:_[A-Z]+)?$/,
  /^CONNECT(?:ION)?_[A-Z_]+$/,
  /^(?:P1001|P1002|P1008|P1017|P2024)$/,
]

/** What drivers say that have no code for it. */
const connectionLost = /connect|terminat|time ?out|timed out|closed/i

const missing = /^(?:42P01|3F000)$/

/** Where drivers and ORMs keep the error that they wrap. */
const wrappings = ['cause', 'meta', 'driverAdapterError'] as const
const mostWrappings = 16

/** Whether the server undid the statement as a whole, so that it may be put again. */
export function isRetryable(error: unknown): boolean {
  return codesOf(error).some((code) => retryableCodes.test(code))
}

/** Every code that the error or one that it wraps carries, outermost first. */
export function codesOf(error: unknown): string[] {
  return causeChain(error)
    .flatMap((layer) => [safeGet(layer, 'code'), safeGet(layer, 'originalCode')])
    .filter((code) => typeof code === 'string')
}

/** The error that says as much of a driver's error as may be said: 503 if trying again later may help, else 500. */
export function toStorageError(error: unknown): StorageError {
  const codes = codesOf(error)
  const cause = redactError({ name: safeGet(error, 'name'), code: codes.at(-1) })
  if (codes.some((code) => missing.test(code)))
    return new StorageError('the tables of the store are not there: migrate first', { cause })
  const isUnavailable =
    codes.length === 0
      ? isLost(error)
      : codes.some((code) => unavailable.some((kind) => kind.test(code)))
  return isUnavailable
    ? new StorageUnavailableError('the database is not available', { cause })
    : new StorageError('the database failed', { cause })
}

function isLost(error: unknown): boolean {
  return causeChain(error).some((layer) => connectionLost.test(String(safeGet(layer, 'message'))))
}

/** The error and what it wraps, each once. */
function causeChain(error: unknown): unknown[] {
  const layers = new Set([error])
  for (const layer of layers) {
    for (const name of wrappings) {
      const inner = safeGet(layer, name)
      if (inner !== undefined && layers.size < mostWrappings) layers.add(inner)
    }
  }
  return [...layers]
}
