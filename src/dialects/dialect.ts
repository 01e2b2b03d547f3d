/** The interface of a dialect: how bodies are parsed, and how items are formatted. */

import type { StoredFieldType } from '../schema/field.js'
import type { Item, ParsedItem, Section } from '../schema/item.js'
import type { PatchOperation } from '../schema/patch.js'

/**
 * Parses the bodies of requests and formats items for responses. The rules for items are the same
 * in every dialect. The library has two: the contract dialect, which is the default, and
 * `connectDialect` of `cofferkit/connect`.
 */
export interface Dialect {
  readonly name: string
  /**
   * Returns the item that `body` describes, for the vault and, if it exists already, the item of
   * `ref`. In the body of a patched item, a field that the patch did not touch has only its `id`
   * and its `section`: the stored field of that id takes its place.
   * @throws InvalidInputError
   */
  parseItem(body: unknown, ref: DraftRef): ParsedItem
  /**
   * Returns the operations of the patch that `body` describes.
   * @throws InvalidInputError
   */
  parsePatch(body: unknown): readonly PatchOperation[]
  /**
   * Returns the type of a field that has the type `type` in a body, and is stored with the type
   * `stored`. By default, that is `type`. A dialect that returns a type under another name returns
   * `stored` for that name, so that a client that reads a field and writes it back changes nothing.
   */
  resolveFieldType?(type: StoredFieldType, stored: StoredFieldType): StoredFieldType
  /**
   * Returns the item as `operation` returns it over HTTP at the time `now`. Does not change `item`,
   * and returns `item` itself if the dialect formats it as it is stored. Never throws.
   */
  formatItem(item: Item, operation: string, now: Date): object
  /**
   * The form of the ids of new files, and of every id in the path of a file's details. With `uuid`,
   * an id of another form in that path is not found. With `base32`, a vault or item id of another
   * form there is rejected with 400.
   */
  readonly fileIds: 'uuid' | 'base32'
  /** Headers of every response over HTTP, by their lowercase names. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Members of the response to `/health` beside `dependencies`; only the name `cofferkit` if absent.
   */
  readonly health?: Readonly<Record<string, string>>
  /**
   * Aliases of query parameters, each with the name that the routes use. An alias whose value is not
   * of the parameter's type is ignored.
   */
  readonly queryAliases: Readonly<Record<string, string>>
}

/** The ref of the item that a body describes; without `itemId`, the item does not exist yet. */
export interface DraftRef {
  readonly vaultId: string
  readonly itemId?: string
  /** The sections before a patch. */
  readonly sections?: readonly Section[]
}
