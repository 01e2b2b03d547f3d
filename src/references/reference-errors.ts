/** The errors of references that cannot be resolved. They contain the reference, and no value. */

import { InvalidInputError, NotFoundError } from '../errors.js'
import { type SecretReference, toText } from './secret-reference.js'

/** A part of a reference that names something. */
export type ReferencePart = 'vault' | 'item' | 'section' | 'field'

/** Returns the error for a part that names nothing. A missing file is a missing `field`. */
export function missingPartError(reference: SecretReference, part: ReferencePart): NotFoundError {
  const message = `${toText(reference)}: ${part} not found`
  return new NotFoundError(part, String(reference[part]), message)
}

/** Returns the error for a part that names more than one vault, item, field or file. */
export function ambiguousPartError(
  reference: SecretReference,
  part: ReferencePart,
): InvalidInputError {
  const canAddSection = part === 'field' && reference.section === undefined
  const remedy = canAddSection ? 'use its id, or add its section' : 'use its id'
  return invalidPartError(reference, part, `the name of the ${part} is ambiguous: ${remedy}`)
}

/** Returns the error for a part or a parameter that does not fit what the reference names. */
export function invalidPartError(
  reference: SecretReference,
  path: ReferencePart | 'attribute' | 'sshFormat',
  problem: string,
): InvalidInputError {
  return InvalidInputError.at(path, problem, `${toText(reference)}: ${problem}`)
}
