/** The interface of the operations on items. */

import type { Field } from '../../schema/field.js'
import type { Item, ItemSummary } from '../../schema/item.js'
import type { ItemDescription } from '../../schema/item-description.js'
import type { Caller } from '../access/caller.js'
import type { CallOptions } from '../operation/call-options.js'
import type { CreateItemInput } from './create-item.js'
import type { DeleteItemInput } from './delete-item.js'
import type { DescribeItemInput } from './describe-item.js'
import type { GetFieldInput } from './get-field.js'
import type { GetItemInput } from './get-item.js'
import type { GetItemsInput } from './get-items.js'
import type { ListItemsInput } from './list-items.js'
import type { PatchItemInput } from './patch-item.js'
import type { RegenerateFieldInput } from './regenerate-field.js'
import type { ReplaceItemInput } from './replace-item.js'
import type { SetItemStateInput } from './set-item-state.js'
import type { UseFieldInput } from './use-field.js'

/** The operations on items. */
export interface ItemOperations {
  /**
   * Creates an item with a random id and version 1, or with the id `itemId`. Needs write on the
   * vault. Name the vault by `vaultId`, `item.vault.id` or both. If you choose `itemId` and lose
   * the result, you can repeat the call without creating a second item. If an item with this id was
   * deleted before, the new item's version is higher than any of the old one.
   * @returns The stored item, with [generated
   * values](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#generated-values).
   * @throws InvalidInputError (400) if the item is invalid, or if `vaultId` and `item.vault.id`
   * differ.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws ConflictError (409) with the reason `exists` if an item in any state has the id, or
   * `races` if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no id or value.
   */
  createItem(
    caller: Caller | undefined,
    input: CreateItemInput,
    options?: CallOptions,
  ): Promise<Item>
  /**
   * Replaces everything of an item that a client can set. Its files are kept. Needs read and write
   * on the vault. The item need not name its vault. You need not send secrets again. A field with only its id
   * [refers](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#references-to-fields)
   * to the stored field, which is kept.
   * @returns The item as the next version.
   * @throws InvalidInputError (400) if the item is archived, if it names another vault, or if a field
   * refers to a stored field that does not exist.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no value.
   */
  replaceItem(
    caller: Caller | undefined,
    input: ReplaceItemInput,
    options?: CallOptions,
  ): Promise<Item>
  /**
   * Changes a part of an item. All operations of the
   * [patch](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#patches) apply, or
   * none of them. Needs read and write on the vault, even for an empty patch.
   * @returns The item as the next version, or the stored item if the patch is empty.
   * @throws InvalidInputError (400) if the item is archived, or if an operation is invalid or its
   * path does not exist. The message contains the index and the path of the operation.
   * @throws NotFoundError (404) for the item, even if the vault does not exist.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no value.
   */
  patchItem(caller: Caller | undefined, input: PatchItemInput, options?: CallOptions): Promise<Item>
  /**
   * Generates a new value for a field, even if it already has one. A value is generated once per
   * call. The rest of the field and of the item is kept. Needs read and write on the vault.
   * @returns The item as the next version, with the entropy of the value if the field's purpose is
   * `PASSWORD`.
   * @throws InvalidInputError (400) if the item is archived or does not have the field, if the
   * field is a date, or if the recipe leaves fewer than two characters.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no value.
   */
  regenerateField(
    caller: Caller | undefined,
    input: RegenerateFieldInput,
    options?: CallOptions,
  ): Promise<Item>
  /**
   * Returns an item, archived or active. Needs read on the vault.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  getItem(caller: Caller | undefined, input: GetItemInput, options?: CallOptions): Promise<Item>
  /**
   * Returns one field of an item, archived or active, by its id or its label. Needs read on the
   * vault. By default all fields are searched, with `section` only those in it.
   * @returns The field with this id or, if there is none, the only field with this label.
   * @throws InvalidInputError (400) if several fields have this label. Use the field's id, or pass
   * its section.
   * @throws NotFoundError (404) for the vault, the item or the field, whichever is missing first.
   * It is for the field even if the section does not exist.
   */
  getField(caller: Caller | undefined, input: GetFieldInput, options?: CallOptions): Promise<Field>
  /**
   * Returns the value of one field for a request to the origin of one of the item's URLs, so that
   * the value is never sent anywhere else. A value of an item without URLs cannot be used. Needs
   * read on the vault. `can` is called with the name `useField`, so you can allow a caller to use
   * values without allowing them to see any. The activity log records `use`. The field is found as
   * in `getField`. Not available over HTTP.
   * @returns The value, or an empty string if the field has none.
   * @throws InvalidInputError (400) if several fields have this label.
   * @throws SecretUseError (403) if no URL of the item has the origin, or if the field is a refresh
   * token. A refresh token is a field with the id `refresh_token` or, in the item of an OAuth
   * grant, a concealed field other than the access token.
   * @throws NotFoundError (404) for the vault, the item or the field, whichever is missing first.
   */
  useField(caller: Caller | undefined, input: UseFieldInput, options?: CallOptions): Promise<string>
  /**
   * Returns an item, archived or active, without its secret values. Needs read on the vault. `can`
   * is called with the name `describeItem`, so you can allow a caller this without allowing them to
   * see secret values.
   * @returns The item. The value of a field is shown if its type is [one that is
   * shown](https://github.com/cofferkit/cofferkit/blob/main/docs/permissions.md#see-that-a-value-is-set)
   * and its purpose is neither `PASSWORD` nor `NOTES`. Every other value is `{ isSet, hint? }`.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  describeItem(
    caller: Caller | undefined,
    input: DescribeItemInput,
    options?: CallOptions,
  ): Promise<ItemDescription>
  /**
   * Returns several items of a vault, archived and active. Needs read on the vault. They are read
   * concurrently and are not a snapshot.
   * @returns The items in the order of `itemIds`, without those that do not exist.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws ContentTooLargeError (413) if more than one item is requested and their records
   * together are larger than `limits.getItemsBytes`.
   */
  getItems(
    caller: Caller | undefined,
    input: GetItemsInput,
    options?: CallOptions,
  ): Promise<readonly Item[]>
  /**
   * Lists the items of a vault, archived and active. Needs read on the vault. The list is not a
   * snapshot, so an item that changes meanwhile may be returned before or after the change.
   * @returns The items without fields, sections and files, sorted or in ascending order of their
   * ids. An empty array if no item matches.
   * @throws NotFoundError (404) if the vault does not exist.
   */
  listItems(
    caller: Caller | undefined,
    input: ListItemsInput,
    options?: CallOptions,
  ): Promise<readonly ItemSummary[]>
  /**
   * Archives an item, marks it as deleted, or makes it active again. Needs read and write on the
   * vault. An archived item can be read, but not changed. An item that is marked as deleted does
   * not exist for any other operation.
   * @returns The item as the next version, or the stored item if it already has that state.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  setItemState(
    caller: Caller | undefined,
    input: SetItemStateInput,
    options?: CallOptions,
  ): Promise<Item>
  /**
   * Deletes an item permanently, with its files and its archived versions. Needs write on the
   * vault.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no id.
   */
  deleteItem(
    caller: Caller | undefined,
    input: DeleteItemInput,
    options?: CallOptions,
  ): Promise<void>
}
