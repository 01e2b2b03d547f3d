/** Validates the options of a handler. */

import type { AuthenticationOptions } from './authenticate.js'
import type { BodyLimits } from './read-input.js'
import type { UploadLimits } from './read-upload.js'

/** The smallest value of each numeric option. */
const minimums = [
  ['authenticationTimeoutMs', 1],
  ['maxBodyDepth', 0],
  ['maxBodyElements', 0],
  ['maxBodyBytes', 0],
  ['bodyTimeoutMs', 1],
  ['maxFileBytes', 0],
] as const

/**
 * Checks that the numeric options are numbers and `basePath` is a prefix of `/v1`, so that a
 * mistyped or missing setting does not switch off a limit. Infinity is allowed.
 * @throws RangeError if a number is not a number or is too small, or if `basePath` is not empty and
 * does not begin with a slash or ends with one.
 */
export function validateOptions(
  options: AuthenticationOptions & BodyLimits & UploadLimits,
  basePath: string,
): void {
  for (const [name, minimum] of minimums) {
    const value: unknown = options[name]
    if (value === undefined || (typeof value === 'number' && value >= minimum)) continue
    throw new RangeError(`${name} must be a number, ${minimum} or more`)
  }
  if (basePath !== '' && (!basePath.startsWith('/') || basePath.endsWith('/')))
    throw new RangeError('basePath must begin with a slash and end without one, or be empty')
}
