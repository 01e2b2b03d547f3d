/** Lists of errors that several operations share. */

import type { ErrorCode } from '../../errors.js'

/** The errors of operations that are not about a single vault. */
export const listErrors = ['INVALID_INPUT', 'UNAUTHORIZED'] as const satisfies readonly ErrorCode[]

/** The errors of operations on a vault that need not exist. */
export const createErrors = [...listErrors, 'FORBIDDEN'] as const

/** The errors of operations that read. */
export const readErrors = [...createErrors, 'NOT_FOUND'] as const

/** The errors of operations that change what is stored. */
export const changeErrors = [...readErrors, 'CONFLICT', 'PRECONDITION_FAILED'] as const

/** The errors of operations that change what is stored and draw random ids or values. */
export const generateErrors = [...changeErrors, 'GENERATION_FAILED'] as const
