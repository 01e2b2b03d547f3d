/** The rules for items. This file needs no database, so that tests can import it. */

import { InvalidInputError, type Item } from 'cofferkit'

const environments = ['production', 'staging', 'test']

/** Every item has exactly one tag that names its environment. */
export function requireEnvironment({ tags }: Item): void {
  if (tags.filter((tag) => environments.includes(tag)).length !== 1)
    throw InvalidInputError.at(
      'tags',
      `must contain exactly one of ${environments.join(', ')}`,
    )
}

export const options = {
  validateItem: requireEnvironment,
  strict: true, // misspelt attributes are rejected, not ignored
}
