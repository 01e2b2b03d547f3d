/** The kind of the option `basePath` of handlers. */

import { text } from './argument.js'
import { optional } from './options.js'

/** The prefix of paths. Default: empty. */
export const basePath = optional(
  text('empty, or begin with a slash and end without one', /^(?:\/.*[^/])?$/s),
  '',
)
