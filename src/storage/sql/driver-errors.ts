/** Reads errors of SQL drivers, including those wrapped by an ORM or a pool. */

import { safeGet } from '../../base/safe-get.js'

/** The codes of errors of Node, such as ECONNREFUSED. */
export const nodeErrorCode = /^(?!ERR_)E[A-Z]{2,}(?:_[A-Z]+)?$/

/** Messages of drivers that have no code for a lost connection. */
const connectionLostMessage = /connect|terminat|time ?out|timed out|closed/i

/** Members in which drivers and ORMs keep the error that they wrap. */
const wrapperMembers = ['cause', 'meta', 'driverAdapterError'] as const
const maxWrappedErrors = 16

/**
 * Returns true if the message of the error, or of one that it wraps, means that the connection was
 * lost.
 */
export function isConnectionLost(error: unknown): boolean {
  return listCauses(error).some((layer) =>
    connectionLostMessage.test(String(safeGet(layer, 'message'))),
  )
}

/** Returns the error and everything that it wraps, each once, at most 16, outermost first. */
export function listCauses(error: unknown): unknown[] {
  const layers = new Set([error])
  for (const layer of layers) {
    for (const name of wrapperMembers) {
      const inner = safeGet(layer, name)
      if (inner !== undefined && layers.size < maxWrappedErrors) layers.add(inner)
    }
  }
  return [...layers]
}
