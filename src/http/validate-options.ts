/** Refuses options of a handler that cannot be meant. */

import type { Authentication } from './authenticate.js'
import type { BodyLimits } from './read-body.js'
import type { UploadLimits } from './read-upload.js'

/** The least that each number may be. */
const least = [
  ['authenticationTimeout', 1],
  ['bodyDepth', 0],
  ['bodyElements', 0],
  ['bodyLimit', 0],
  ['bodyTimeout', 1],
  ['fileLimit', 0],
] as const

/**
 * Looks at what a typing error or a setting that is not there would make of the options; Infinity may be meant.
 * @throws RangeError if a number is none, or too small; or if `basePath` could not stand before `/v1`.
 */
export function checkOptions(
  options: Authentication & BodyLimits & UploadLimits,
  basePath: string,
): void {
  for (const [name, lowest] of least) {
    const number: unknown = options[name]
    if (number === undefined || (typeof number === 'number' && number >= lowest)) continue
    throw new RangeError(`${name} must be a number, ${lowest} or more`)
  }
  if (basePath !== '' && (!basePath.startsWith('/') || basePath.endsWith('/')))
    throw new RangeError('basePath must begin with a slash and end without one, or be empty')
}
