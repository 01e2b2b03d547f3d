/** The interface of the operations on files. */

import type { FileDetails } from '../../schema/file.js'
import type { FileRef } from '../../schema/ids.js'
import type { Caller } from '../access/caller.js'
import type { CallOptions } from '../operation/call-options.js'
import type { AttachFileInput } from './attach-file.js'
import type { GetFileDetailsInput } from './get-file-details.js'
import type { ListFilesInput } from './list-files.js'
import type { FileContent } from './read-file-content.js'
import type { RemoveFileInput } from './remove-file.js'

/** The operations on files. */
export interface FileOperations {
  /**
   * Returns the details of a file. Needs read on the vault.
   * @returns The details, with `content` in base64 (RFC 4648, section 4) if `inlineFiles` is true.
   * @throws NotFoundError (404) for the file, even if the item or the vault does not exist.
   * @throws ContentTooLargeError (413) if `inlineFiles` is true and the file is larger than
   * `maxInlineFileSizeKb`.
   */
  getFileDetails(
    caller: Caller | undefined,
    input: GetFileDetailsInput,
    options?: CallOptions,
  ): Promise<FileDetails>
  /**
   * Adds a file to an item. Needs write on the vault. If your stream fails, the promise rejects
   * with the stream's error.
   * @returns The details of the file, after its content and the item are stored.
   * @throws InvalidInputError (400) if the item is archived, or if the stream is locked, has been
   * read from, or contains anything but bytes.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt, or if the upload took so
   * long that `collectGarbage` deleted the content.
   * @throws GenerationError (500) if the random source yields no id.
   */
  attachFile(
    caller: Caller | undefined,
    input: AttachFileInput,
    options?: CallOptions,
  ): Promise<FileDetails>
  /**
   * Removes a file from an item and deletes its content permanently. Needs write on the vault.
   * Archived versions still list the file.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws NotFoundError (404) for the vault, the item or the file, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no id.
   */
  removeFile(
    caller: Caller | undefined,
    input: RemoveFileInput,
    options?: CallOptions,
  ): Promise<void>
  /**
   * Lists the files of an item. Needs read on the vault.
   * @returns The details of the files, in the item's order, or an empty array. With `inlineFiles`,
   * each file that is not larger than `maxInlineFileSizeKb` has its `content`, as long as the
   * contents together fit into `limits.inlinedBytes`.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  listFiles(
    caller: Caller | undefined,
    input: ListFilesInput,
    options?: CallOptions,
  ): Promise<readonly FileDetails[]>
  /**
   * Returns the content of a file. Needs read on the vault.
   * @returns The name, the size in bytes and a stream, which you must read to its end or cancel.
   * The call or the stream fails with a StorageError if the stored content has a different length.
   * @throws NotFoundError (404) for the vault, the item or the file, whichever is missing first.
   */
  readFileContent(
    caller: Caller | undefined,
    input: FileRef,
    options?: CallOptions,
  ): Promise<FileContent>
}
