/** Expected errors of rejected operations, with their messages. */

import type { ResourceType } from '../../../src/index.js'

/** The expected members of an error, for `rejects.toMatchObject`. */
export interface ExpectedError {
  readonly code: string
  readonly status: number
  readonly message?: string
}

export const unauthorized: ExpectedError = {
  code: 'UNAUTHORIZED',
  status: 401,
  message: 'the caller must be the result of createCaller',
}

export function invalid(message?: string): ExpectedError {
  return { code: 'INVALID_INPUT', status: 400, ...(message !== undefined && { message }) }
}

/**
 * A caller without the permission for `missing` but with the other one; without both by default.
 */
export function forbidden(
  vaultId: string,
  missing?: 'reading' | 'writing' | 'using',
): ExpectedError {
  const purpose = missing === undefined ? '' : ` for ${missing}`
  return { code: 'FORBIDDEN', status: 403, message: `vault ${vaultId} is not in scope${purpose}` }
}

export function notFound(resource: ResourceType, id: string): ExpectedError {
  return { code: 'NOT_FOUND', status: 404, message: `${resource} ${id} not found` }
}

export function versionMismatch(itemId: string): ExpectedError {
  return {
    code: 'PRECONDITION_FAILED',
    status: 412,
    message: `item ${itemId} is not at the expected version`,
  }
}

export const storageFailed: ExpectedError = { code: 'STORAGE_FAILED', status: 500 }

export const ruleFailed: ExpectedError = { code: 'RULE_FAILED', status: 500 }

export const conflict: ExpectedError = { code: 'CONFLICT', status: 409 }
