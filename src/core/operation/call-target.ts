/** The vault and the item that a call refers to. */

import { isId } from '../../schema/is-id.js'

/** The ids of the vault and the item that an input refers to. */
export interface CallTarget {
  /** Not set if the input has no well-formed `vaultId`. */
  readonly vaultId?: string
  /** Not set if the input has no well-formed `itemId`. */
  readonly itemId?: string
}

/** Returns the well-formed ids of an input, which can be any value. */
export function targetOf(input: unknown): CallTarget {
  const vaultId: unknown = Reflect.get(Object(input), 'vaultId')
  const itemId: unknown = Reflect.get(Object(input), 'itemId')
  return { ...(isId(vaultId) && { vaultId }), ...(isId(itemId) && { itemId }) }
}
