/**
 * The core of a secrets vault: its operations over a store, its callers and its errors, without any transport.
 * @module cofferkit
 */

export { type Access, type Caller, grant, type Origin, type Rights } from './core/access/caller.js'
export {
  type ActivityLog,
  createActivityLog,
  createMemoryActivityLog,
} from './core/activity/activity-log.js'
export type { ListActivityInput } from './core/activity/list-activity.js'
export { createStoreActivityLog } from './core/activity/stored-activity-log.js'
export { createVaultService } from './core/create-vault-service.js'
export type { AttachFileInput } from './core/files/attach-file.js'
export type { GetFileDetailsInput } from './core/files/get-file-details.js'
export type { ListFilesInput } from './core/files/list-files.js'
export type { FilePlace } from './core/files/load-file.js'
export type { FileContent } from './core/files/read-file-content.js'
export type { RemoveFileInput } from './core/files/remove-file.js'
export type { Filter, FilterAttribute, FilterList, FilterTerm } from './core/filter/filter.js'
export { printFilter } from './core/filter/format-filter.js'
export type { CreateItemInput } from './core/items/create-item.js'
export type { DeleteItemInput } from './core/items/delete-item.js'
export type { GetItemInput } from './core/items/get-item.js'
export type { GetItemsInput } from './core/items/get-items.js'
export type { ListItemsInput } from './core/items/list-items.js'
export type { PatchItemInput } from './core/items/patch-item.js'
export type { ReplaceItemInput } from './core/items/replace-item.js'
export type { SetItemStateInput } from './core/items/set-item-state.js'
export type { VaultEventType } from './core/runtime/change-hooks.js'
export type { Counts, VaultServiceOptions } from './core/runtime/context.js'
export type { VaultEvent, VaultEventListener } from './core/runtime/events.js'
export type { Limits } from './core/runtime/limits.js'
export type { RandomBytes } from './core/runtime/random.js'
export type { VaultService } from './core/vault-service.js'
export type { SweepBlobsInput } from './core/vaults/collect-garbage.js'
export type { CreateVaultInput } from './core/vaults/create-vault.js'
export type { DeleteVaultInput } from './core/vaults/delete-vault.js'
export type { GetVaultInput } from './core/vaults/get-vault.js'
export type { ListVaultsInput } from './core/vaults/list-vaults.js'
export type { UpdateVaultInput } from './core/vaults/update-vault.js'
export type { GetVersionInput } from './core/versions/get-version.js'
export type { ListVersionsInput } from './core/versions/list-versions.js'
export type { RestoreVersionInput } from './core/versions/restore-version.js'
export type { Dialect, ItemPlace } from './dialects/dialect.js'
export { type ErrorBody, type ErrorCode, errorStatuses } from './error-codes.js'
export {
  ConflictError,
  ContentTooLargeError,
  DecryptionError,
  ForbiddenError,
  GenerationError,
  HttpError,
  type InputIssue,
  InvalidInputError,
  isVaultError,
  NotFoundError,
  PreconditionFailedError,
  type Resource,
  StorageError,
  UnauthorizedError,
  VaultError,
} from './errors.js'
export { withoutSecrets } from './redact-error.js'
export type {
  ActivityAction,
  ActivityEntry,
  ActivityPage,
  ActivityResource,
} from './schema/activity.js'
export type {
  CharacterSet,
  Field,
  FieldDraft,
  FieldPurpose,
  FieldType,
  ReadField,
  Recipe,
  SectionReference,
  StoredFieldType,
} from './schema/field.js'
export type { FileDetails, FileDraft } from './schema/file.js'
export type {
  Item,
  ItemCategory,
  ItemDraft,
  ItemState,
  ItemSummary,
  ItemUrl,
  ItemVersion,
  ReadItem,
  Section,
  VaultReference,
} from './schema/item.js'
export type { OperationName } from './schema/operations.js'
export type { PatchOperation } from './schema/patch.js'
export type { Vault, VaultType } from './schema/vault.js'
export type {
  BlobStore,
  ListedRecord,
  NewRecord,
  RecordKey,
  RecordPage,
  RecordStore,
  StoredRecord,
  VaultStore,
} from './store.js'
