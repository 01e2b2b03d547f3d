/**
 * The core of a secrets vault: its operations over a store, its callers and its errors, without any transport.
 * @module cofferkit
 */

export type { AttachFileInput } from './core/attach-file.js'
export { type Access, type Caller, grant, type Rights } from './core/caller.js'
export type { VaultServiceOptions } from './core/context.js'
export type { CreateItemInput } from './core/create-item.js'
export type { CreateVaultInput } from './core/create-vault.js'
export type { DeleteItemInput } from './core/delete-item.js'
export type { FilePlace } from './core/find-file.js'
export type { GetFileDetailsInput } from './core/get-file-details.js'
export type { GetItemInput } from './core/get-item.js'
export type { GetVaultInput } from './core/get-vault.js'
export type { GetVersionInput } from './core/get-version.js'
export type { Limits } from './core/limits.js'
export type { ListItemsInput } from './core/list-items.js'
export type { ListVersionsInput } from './core/list-versions.js'
export type { PatchItemInput } from './core/patch-item.js'
export type { RandomBytes } from './core/random.js'
export type { FileContent } from './core/read-file-content.js'
export type { ReplaceItemInput } from './core/replace-item.js'
export type { RestoreVersionInput } from './core/restore-version.js'
export { createVaultService, type VaultService } from './core/service.js'
export type { SweepBlobsInput } from './core/sweep-blobs.js'
export type { Dialect, ItemPlace } from './dialects/dialect.js'
export {
  ConflictError,
  ContentTooLargeError,
  DecryptionError,
  type ErrorBody,
  type ErrorCode,
  errorStatuses,
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
  CharacterSet,
  Field,
  FieldDraft,
  FieldPurpose,
  FieldType,
  Recipe,
  SectionReference,
} from './schema/field.js'
export type { FileDetails } from './schema/file.js'
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
