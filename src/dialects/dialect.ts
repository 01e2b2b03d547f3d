/** How the body of a request is read. The rules of the domain are the same in every dialect. */

import type { ReadItem } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'

/** Reads what comes from outside; made by this library, `contractDialect` unless another is chosen. */
export interface Dialect {
  readonly name: string
  /**
   * The item that `body` describes, for this vault and, where there is one already, this item.
   * @throws InvalidInputError
   */
  readItem(body: unknown, place: ItemPlace): ReadItem
  /**
   * The operations that `body` describes.
   * @throws InvalidInputError
   */
  readPatch(body: unknown): readonly PatchOperation[]
}

/** Where an item lies; without `itemId` it is still to be created. */
export interface ItemPlace {
  readonly vaultId: string
  readonly itemId?: string
}
