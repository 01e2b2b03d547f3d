/** Refuses options of a handler that cannot be meant. */

import type { AuthenticationOptions } from './authenticate.js'
import type { BodyLimits } from './read-body.js'
import type { UploadLimits } from './read-upload.js'

/** The least that each number may be. */
const minimums = [
  ['authenticationTimeoutMs', 1],
  ['maxBodyDepth', 0],
  ['maxBodyElements', 0],
  ['maxBodyBytes', 0],
  ['bodyTimeoutMs', 1],
  ['maxFileBytes', 0],
] as const

/**
 * Looks at what a typing error or a setting that is not there would make of the options; Infinity may be meant.
 * @throws RangeError if a number is none, or too small; or if `basePath` could not stand before `/v1`.
 */
export function validateOptions(
  options: AuthenticationOptions & BodyLimits & UploadLimits,
  basePath: string,
): void {
  for (const [name, minimum] of minimums) {
    const number: unknown = options[name]
    if (number === undefined || (typeof number === 'number' && number >= minimum)) continue
    throw new RangeError(`${name} must be a number, ${minimum} or more`)
  }
  if (basePath !== '' && (!basePath.startsWith('/') || basePath.endsWith('/')))
    throw new RangeError('basePath must begin with a slash and end without one, or be empty')
}
