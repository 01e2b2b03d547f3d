/** Checks the names of schemas and tables, because they become part of statements. */

import { type Kind, text } from '../../base/argument.js'

/** A name of 1 to `maxLength` letters, digits and underscores, not beginning with a digit. */
export function identifier(maxLength: number): Kind<string> {
  const pattern = new RegExp(`^[A-Za-z_][A-Za-z0-9_]{0,${maxLength - 1}}$`)
  return text(`1 to ${maxLength} letters, digits and underscores`, pattern)
}
