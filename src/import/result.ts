/** The result of reading an export: items, files, and everything that could not be imported. */

import type { NewItemDraft } from '../index.js'

/** The format of an export, as `cofferkit import --from` takes it. */
export type ImportFormat = '1pux' | 'bitwarden'

/** A vault of an export. */
export interface ImportedVault {
  /** The identity of the vault in its source, the same in every export: at most 200 characters. */
  readonly id: string
  /** At most 500 characters. Empty if the export has no name. */
  readonly name: string
}

/** An item of an export. */
export interface ImportedItem {
  /**
   * The identity of the item in its source, such as `bitwarden:2cfc…`. Unique in a result, and the
   * same in every export of the item. Contains no secret.
   */
  readonly sourceId: string
  /** The item without its vault. */
  readonly item: NewItemDraft
  /** The vault of the item in its source. Only an export of 1Password (`1pux`) has vaults. */
  readonly vault?: ImportedVault
  /** `ARCHIVED` if the item was archived in its source. By default it is active. */
  readonly state?: 'ARCHIVED'
  /** RFC 3339. When the item was created in its source, if the export contains that. */
  readonly createdAt?: string
  /** RFC 3339. When the item was last changed in its source, if the export contains that. */
  readonly updatedAt?: string
}

/** A file of an item of an export. */
export interface ImportedFile {
  /** The item that has the file. */
  readonly sourceId: string
  /** The id of the file in its source, unique among the files of the item. */
  readonly id: string
  /** At least one character, without a folder. */
  readonly name: string
  readonly content: Uint8Array
  /** The section of the item that contains the file. */
  readonly sectionId?: string
}

/**
 * The kind of a loss. `converted` means that the value is kept in another form. For every other
 * kind, it was left out.
 */
export type ImportLossKind =
  | 'item'
  | 'field'
  | 'file'
  | 'passkey'
  | 'password-history'
  | 'attribute'
  | 'converted'

/** Something of an export that was left out, or kept in another form. */
export interface ImportLoss {
  /**
   * Where in the export: names and indices from its root, joined by `/`, such as
   * `items/3/passwordHistory`.
   */
  readonly path: string
  readonly kind: ImportLossKind
  /** The problem and its reason. Contains no value of the export. */
  readonly message: string
  /** The item that it belongs to. Not set if the loss concerns the entire export. */
  readonly sourceId?: string
}

/** The result of reading an export. */
export interface ImportResult {
  readonly format: ImportFormat
  readonly items: readonly ImportedItem[]
  readonly files: readonly ImportedFile[]
  /** Everything that is not in `items` and `files`, in no particular order. */
  readonly losses: readonly ImportLoss[]
}

/** Adds a loss. */
export type ReportLoss = (path: string, kind: ImportLossKind, message: string) => void
