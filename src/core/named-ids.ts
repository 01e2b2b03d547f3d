/** Which vault and which item the input of an operation names. */

import { isId } from '../schema/id.js'

/** The vault and the item, each only if it is named by what is an id. */
export interface NamedIds {
  readonly vaultId?: string
  readonly itemId?: string
}

/** The ids in `input`, which may be anything. */
export function namedIds(input: unknown): NamedIds {
  const vaultId: unknown = Reflect.get(Object(input), 'vaultId')
  const itemId: unknown = Reflect.get(Object(input), 'itemId')
  return { ...(isId(vaultId) && { vaultId }), ...(isId(itemId) && { itemId }) }
}
