/** How the body of a request is read, and in a few words how it is answered; the rules of the domain are the same. */

import type { ItemRef } from '../schema/ids.js'
import type { Item, ParsedItem } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'

/** Reads what comes from outside; made by this library, `contractDialect` unless another is chosen. */
export interface Dialect {
  readonly name: string
  /**
   * The item that `body` describes, for this vault and, where there is one already, this item.
   * @throws InvalidInputError
   */
  parseItem(body: unknown, ref: DraftRef): ParsedItem
  /**
   * The operations that `body` describes.
   * @throws InvalidInputError
   */
  parsePatch(body: unknown): readonly PatchOperation[]
  /**
   * The item as `operation` answers it over HTTP at the moment `now`, without changing `item`; `item` itself where it
   * is answered as it is stored. Never throws.
   */
  formatItem(item: Item, operation: string, now: Date): object
  /**
   * The form of the ids that new files get, and of all ids on the file route. With `uuid` (contract, section 4.4) an id
   * of any other form names nothing there; with `base32` a vault or item id of another form is refused with 400.
   */
  readonly fileIds: 'uuid' | 'base32'
  /** Headers of every response over HTTP, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Other names of query parameters, each with the name that the routes know. */
  readonly queryAliases: Readonly<Record<string, string>>
}

/** The ref of the item that a body describes; without `itemId`, the item does not exist yet. */
export type DraftRef = Pick<ItemRef, 'vaultId'> & Partial<ItemRef>
