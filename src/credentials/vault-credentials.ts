/** The interface of the credentials of a service, and of those of one vault. */

import type { Caller } from '../core/access/caller.js'
import type { RefusedCall } from '../core/assert-service.js'
import type { CallOptions } from '../core/operation/call-options.js'
import type { OperationName } from '../core/vault-service.js'
import type { CredentialView } from './credential-item.js'

/** The credentials of a service. */
export interface Credentials {
  /** The names of the kinds, in their order. */
  readonly names: readonly string[]
  /** Binds the caller and the vault of every call. Nothing is checked or read until then. */
  of(caller: Caller | undefined, vaultId: string): VaultCredentials
  /**
   * Records a call that is refused before it can be made. Only `createCredentialHandler` calls this.
   * @internal
   */
  refuse(operation: OperationName, call: RefusedCall, error: unknown): Promise<never>
  /**
   * The clock of the service. Only `createCredentialHandler` calls this.
   * @internal
   */
  readonly now: () => Date
}

/** Which of several credentials of one kind. */
export interface CredentialAccount {
  /**
   * Distinguishes credentials of one kind in one vault, such as `live` and `test`: 1 to 200
   * characters without control characters. None if absent. It is not a secret.
   */
  readonly account?: string | undefined
}

/**
 * The credentials of one vault, for one caller. Each method rejects with the errors of the
 * operations that it calls, and with these:
 * - TypeError if no kind has this name, or if `account` is not an object with the member `account`
 *   alone, so that a misspelt account never means the credential without one;
 * - InvalidInputError (400) if `account` is invalid;
 * - NotFoundError (404) if the credential does not exist, or its item is marked as deleted. A
 *   credential that does not exist can be saved.
 *
 * No error contains a value.
 */
export interface VaultCredentials {
  /**
   * Saves a credential, whether or not it exists, after `verify` of its kind has been called. An
   * absent value and an empty secret are kept; null removes an optional value. Needs `read` and
   * `write` for the operation `saveCredential`. If the item is marked as deleted, it is active afterwards
   * and none of its values is kept. If the item is damaged, so that the status is `unreadable`, every
   * required value must be given.
   * @param values The values by the ids of their fields.
   * @returns The view of what was stored. Its status is `unverified` if `verify` gave no result.
   * @throws CredentialRejectedError (422) if `verify` resolves with false. The stored values are
   * kept.
   * @throws InvalidInputError (400) if a value is missing or not a string, if a secret is the hint
   * of a view or begins or ends with blanks or line breaks, if the origins change while a secret is
   * kept, or if the item is archived.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  save(
    name: string,
    values: Readonly<Record<string, string | null | undefined>>,
    account?: CredentialAccount,
  ): Promise<CredentialView>
  /**
   * Returns the view of a credential. Needs `read` for the operation `describeCredential`, which
   * returns no secret. If the item is damaged, the status of the view is `unreadable`.
   */
  describe(name: string, account?: CredentialAccount): Promise<CredentialView>
  /**
   * Returns the views of all credentials of the vault, ordered by name and account; empty if it has
   * none. Needs `read` for the operation `listCredentials`. It reads the credentials, and no other
   * item of the vault.
   *
   * A credential whose item is damaged has the status `unreadable`. If the record that lists it is
   * damaged as well, it is left out, and `onUnreadable` is called with the error.
   */
  list(options?: Pick<CallOptions, 'onUnreadable'>): Promise<readonly CredentialView[]>
  /**
   * Calls `verify` of the kind and stores the result. The values, and who changed them, stay the
   * same. Without `verify`, nothing is written. Needs `read` and `write` for the operation
   * `verifyCredential`.
   * @returns The view. Its status is `rejected` if `verify` resolves with false.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  verify(name: string, account?: CredentialAccount): Promise<CredentialView>
  /**
   * Returns a value. Needs `read` for the operation `revealCredential`.
   * @param field The id of a field of the kind.
   * @throws TypeError if the kind has no such field; NotFoundError (404) if it has no value.
   */
  reveal(name: string, field: string, account?: CredentialAccount): Promise<string>
  /**
   * Deletes a credential permanently, even one whose item is damaged. Needs `write` for the operation
   * `removeCredential`.
   */
  remove(name: string, account?: CredentialAccount): Promise<void>
}
