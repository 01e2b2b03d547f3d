/**
 * The service: the operations of a secrets vault on a store, its callers and its errors.
 *
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const caller = createCaller({ id: 'wendy', vaults: '*' })
 * const vault = await service.createVault(caller, { name: 'Home' })
 * const item = { category: 'LOGIN', title: 'Router', vault } as const
 * const { id } = await service.createItem(caller, { vaultId: vault.id, item })
 * ```
 *
 * @module cofferkit
 */

export type { Closable } from './base/closable.js'
export { composeStore, type StoreHalves } from './base/compose-store.js'
export { redactError } from './base/redact-error.js'
export type { AllowedUse } from './core/access/allowed-use.js'
export {
  type Caller,
  type CallerOptions,
  type ClientInfo,
  createCaller,
  type KnownCaller,
  type Permission,
  type VaultPermissions,
} from './core/access/caller.js'
export type { ListActivityInput } from './core/activity/list-activity.js'
export { createVaultService } from './core/create-vault-service.js'
export type { AttachFileInput } from './core/files/attach-file.js'
export type { FileOperations } from './core/files/file-operations.js'
export type { GetFileDetailsInput } from './core/files/get-file-details.js'
export type { ListFilesInput } from './core/files/list-files.js'
export type { FileContent } from './core/files/read-file-content.js'
export type { RemoveFileInput } from './core/files/remove-file.js'
export { quoteFilterValue } from './core/filter/quote-filter-value.js'
export type { CreateItemInput } from './core/items/create-item.js'
export type { DeleteItemInput } from './core/items/delete-item.js'
export type { DescribeItemInput } from './core/items/describe-item.js'
export {
  type GeneratedPassword,
  type GeneratePasswordOptions,
  generatePassword,
} from './core/items/generate-password.js'
export type { GetFieldInput } from './core/items/get-field.js'
export type { GetItemInput } from './core/items/get-item.js'
export type { GetItemsInput } from './core/items/get-items.js'
export type { ItemOperations } from './core/items/item-operations.js'
export type { ListItemsInput } from './core/items/list-items.js'
export type { PatchItemInput } from './core/items/patch-item.js'
export type { RegenerateFieldInput } from './core/items/regenerate-field.js'
export type { ReplaceItemInput } from './core/items/replace-item.js'
export type { SetItemStateInput } from './core/items/set-item-state.js'
export type { UseFieldInput } from './core/items/use-field.js'
export type { AroundCall, Next } from './core/operation/around.js'
export type { CallOptions } from './core/operation/call-options.js'
export type { CallTarget } from './core/operation/call-target.js'
export type { VaultServiceOptions } from './core/options.js'
export type { ActivityLog } from './core/runtime/activity-log.js'
export type { VaultEvent, VaultEventType } from './core/runtime/change.js'
export type { ServiceStats } from './core/runtime/context.js'
export type { VaultEventListener } from './core/runtime/events.js'
export type { Limits } from './core/runtime/limits.js'
export type { RetryOptions } from './core/runtime/optimistic-retry.js'
export type { RandomBytes } from './core/runtime/random.js'
export type { VaultOperations } from './core/vault-operations.js'
export type {
  CallerOperations,
  MethodName,
  OperationName,
  OutsideOperation,
  VaultService,
  VaultTransaction,
} from './core/vault-service.js'
export type { CollectGarbageInput } from './core/vaults/collect-garbage.js'
export type { CreateVaultInput } from './core/vaults/create-vault.js'
export type { DeleteVaultInput } from './core/vaults/delete-vault.js'
export type { GetVaultInput } from './core/vaults/get-vault.js'
export type { ListVaultsInput } from './core/vaults/list-vaults.js'
export type { UpdateVaultInput } from './core/vaults/update-vault.js'
export type { GetVersionInput } from './core/versions/get-version.js'
export type { ListVersionsInput } from './core/versions/list-versions.js'
export type { RestoreVersionInput } from './core/versions/restore-version.js'
export type { VersionOperations } from './core/versions/version-operations.js'
export type { Dialect, DraftRef } from './dialects/dialect.js'
export {
  ActivityUnavailableError,
  AuthenticationUnavailableError,
  ConflictError,
  ContentTooLargeError,
  CredentialRejectedError,
  CredentialUnverifiedError,
  DecryptionError,
  type ErrorBody,
  type ErrorCode,
  errorStatuses,
  ForbiddenError,
  GenerationError,
  type InputIssue,
  InvalidInputError,
  isVaultError,
  MethodNotAllowedError,
  NotFoundError,
  PreconditionFailedError,
  type ReconnectReason,
  ReconnectRequiredError,
  RequestTimeoutError,
  type ResourceType,
  RouteNotFoundError,
  RuleError,
  SecretUseError,
  type SecretUseReason,
  StorageError,
  type StorageErrorCode,
  StorageUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  type UnreadableRecord,
  UnsupportedMediaTypeError,
  VaultError,
  type VaultErrorBase,
  type VaultErrorOptions,
} from './errors.js'
export type {
  ActivityAction,
  ActivityEntry,
  ActivityPage,
  ActivityResource,
  ActivityResult,
  RecordedCredential,
  RecordedUse,
} from './schema/activity-entry.js'
export type {
  CharacterSet,
  Field,
  FieldDraft,
  FieldPurpose,
  FieldType,
  ParsedField,
  Recipe,
  SectionReference,
  StoredFieldType,
} from './schema/field.js'
export type { FileDetails, FileDraft } from './schema/file.js'
export type { FileRef, ItemRef } from './schema/ids.js'
export type {
  Item,
  ItemCategory,
  ItemDraft,
  ItemState,
  ItemSummary,
  ItemUrl,
  ItemVersion,
  NewItemDraft,
  ParsedItem,
  Section,
  VaultReference,
} from './schema/item.js'
export type {
  FieldDescription,
  HiddenValue,
  ItemDescription,
} from './schema/item-description.js'
export type { PatchOperation } from './schema/patch.js'
export type { SecretUseTarget } from './schema/secret-use.js'
export type { Vault, VaultType } from './schema/vault.js'
export type {
  BlobContent,
  BlobStore,
  ListedRecord,
  RecordInput,
  RecordKey,
  RecordQuery,
  RecordStore,
  StoredRecord,
  TransactionClient,
  VaultStore,
} from './store.js'
