/**
 * The core of a secrets vault: its operations over a store, its callers and its errors, without any transport.
 * @module cofferkit
 */

export {
  type ActivityLog,
  createActivityLog,
  createMemoryActivityLog,
} from './core/activity-log.js'
export type { AttachFileInput } from './core/attach-file.js'
export { type Access, type Caller, grant, type Origin, type Rights } from './core/caller.js'
export type { Counts, VaultServiceOptions } from './core/context.js'
export type { CreateItemInput } from './core/create-item.js'
export type { CreateVaultInput } from './core/create-vault.js'
export type { DeleteItemInput } from './core/delete-item.js'
export type { DeleteVaultInput } from './core/delete-vault.js'
export type { Filter, FilterAttribute, FilterList, FilterTerm } from './core/filter.js'
export type { FilePlace } from './core/find-file.js'
export type { GetFileDetailsInput } from './core/get-file-details.js'
export type { GetItemInput } from './core/get-item.js'
export type { GetItemsInput } from './core/get-items.js'
export type { GetVaultInput } from './core/get-vault.js'
export type { GetVersionInput } from './core/get-version.js'
export type { Limits } from './core/limits.js'
export type { ListActivityInput } from './core/list-activity.js'
export type { ListFilesInput } from './core/list-files.js'
export type { ListItemsInput } from './core/list-items.js'
export type { ListVaultsInput } from './core/list-vaults.js'
export type { ListVersionsInput } from './core/list-versions.js'
export type { PatchItemInput } from './core/patch-item.js'
export { printFilter } from './core/print-filter.js'
export type { RandomBytes } from './core/random.js'
export type { FileContent } from './core/read-file-content.js'
export type { RemoveFileInput } from './core/remove-file.js'
export type { ReplaceItemInput } from './core/replace-item.js'
export type { RestoreVersionInput } from './core/restore-version.js'
export { createVaultService } from './core/service.js'
export type { SetItemStateInput } from './core/set-item-state.js'
export { createStoreActivityLog } from './core/store-activity-log.js'
export type { SweepBlobsInput } from './core/sweep-blobs.js'
export type { UpdateVaultInput } from './core/update-vault.js'
export type { VaultEvent, VaultEventListener } from './core/vault-events.js'
export type { VaultService } from './core/vault-service.js'
export type { VaultEventType } from './core/witness.js'
export type { Dialect, ItemPlace } from './dialects/dialect.js'
export { type ErrorBody, type ErrorCode, errorStatuses } from './error-statuses.js'
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
export { withoutSecrets } from './without-secrets.js'
