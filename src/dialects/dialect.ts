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
   * and its `section`, and the stored field of that id is kept.
   * @throws InvalidInputError
   */
  parseItem(body: unknown, ref: DraftRef): ParsedItem
  /**
   * Returns the operations of the patch that `body` describes.
   * @throws InvalidInputError
   */
  parsePatch(body: unknown): readonly PatchOperation[]
  /**
   * Returns the type with which a field is stored, if a body has the type `type` and the stored
   * field has the type `stored`. By default that is `type`. If a dialect shows a stored type under
   * another name, it must return `stored` for that name, so that a client that reads a field and
   * writes it back changes nothing.
   */
  resolveFieldType?(type: StoredFieldType, stored: StoredFieldType): StoredFieldType
  /**
   * Returns the item as `operation` returns it over HTTP at the time `now`. Must not change `item`.
   * Returns `item` itself if the dialect does not reformat it. Never throws.
   */
  formatItem(item: Item, operation: string, now: Date): object
  /**
   * The form of the ids of new files, and of every id in the path of a file's details. With `uuid`,
   * an id of another form in that path is not found (404). With `base32`, a vault or item id of
   * another form in that path is rejected with 400.
   */
  readonly fileIds: 'uuid' | 'base32'
  /** Headers of every HTTP response, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Members of the response to `/health`, besides `dependencies`. Default: only the name
   * `cofferkit`.
   */
  readonly health?: Readonly<Record<string, string>>
  /**
   * Aliases of query parameters, each with the name that the routes use. An alias whose value is not
   * of the parameter's type is ignored.
   */
  readonly queryAliases: Readonly<Record<string, string>>
}

/**
 * The ref of the item that a body describes. If it has no `itemId`, the item does not exist yet.
 */
export interface DraftRef {
  readonly vaultId: string
  readonly itemId?: string
  /** The sections before a patch. */
  readonly sections?: readonly Section[]
}
