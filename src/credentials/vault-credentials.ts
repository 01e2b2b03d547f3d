/** The interface of the credentials of a service, and of those of one vault. */

import type { Caller } from '../core/access/caller.js'
import type { RefusedCall } from '../core/assert-service.js'
import type { CallOptions } from '../core/operation/call-options.js'
import type { OperationName } from '../core/vault-service.js'
import type { CredentialView } from './credential-item.js'
import type {
  CredentialFieldId,
  CredentialKind,
  CredentialKinds,
  CredentialName,
} from './credential-kind.js'

/**
 * The credentials of a service.
 * @typeParam Kinds - The kinds, from which the types of names, fields and views follow.
 */
export interface Credentials<Kinds extends CredentialKinds = CredentialKinds> {
  /** The names of the kinds, in their order. */
  readonly names: readonly CredentialName<Kinds>[]
  /** Binds the caller and the vault of every call. Nothing is checked or read until then. */
  of(caller: Caller | undefined, vaultId: string): VaultCredentials<Kinds>
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

/** The values of a kind as they are saved. */
export type SavedCredentialValues<Kind extends CredentialKind> = {
  readonly [Id in CredentialFieldId<Kind>]?: string | null | undefined
}

/** The view of a credential of one of these kinds. */
export type CredentialViewOf<Kinds extends CredentialKinds> = {
  readonly [Name in CredentialName<Kinds>]: CredentialView<Kinds[Name], Name>
}[CredentialName<Kinds>]

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
export interface VaultCredentials<Kinds extends CredentialKinds = CredentialKinds> {
  /**
   * Saves a credential, whether or not it exists, after `verify` of its kind has been called. An
   * absent value and an empty secret are kept; null removes an optional value. Needs `read` and
   * `write` for the operation `saveCredential`. If the item is marked as deleted, it is active afterwards
   * and none of its values is kept. If the item is damaged, so that the status is `unreadable`, every
   * required value must be given.
   * @param values The values by the ids of their fields.
   * @returns The view of what was stored. Its status is `unverified` if `verify` gave no result.
   * @throws CredentialRejectedError (422) if `verify` resolves with false, and
   * CredentialUnverifiedError (503) if the provider could not be asked and `whenUnverified` is
   * `refuse`. The stored values are kept.
   * @throws RuleError (500) if `verify` resolves with anything but a boolean.
   * @throws InvalidInputError (400) if a value is missing or not a string, if a secret is the hint
   * of a view or begins or ends with blanks or line breaks, if the origins change while a secret is
   * kept, or if the item is archived.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  save<Name extends CredentialName<Kinds>>(
    name: Name,
    values: SavedCredentialValues<Kinds[Name]>,
    account?: CredentialAccount,
  ): Promise<CredentialView<Kinds[Name], Name>>
  /**
   * Returns the view of a credential. Needs `read` for the operation `describeCredential`, which
   * returns no secret. If the item is damaged, the status of the view is `unreadable`.
   */
  describe<Name extends CredentialName<Kinds>>(
    name: Name,
    account?: CredentialAccount,
  ): Promise<CredentialView<Kinds[Name], Name>>
  /**
   * Returns the views of all credentials of the vault, ordered by name and account; empty if it has
   * none. Needs `read` for the operation `listCredentials`. It reads the credentials, and no other
   * item of the vault.
   *
   * A credential whose item is damaged has the status `unreadable`. If the record that lists it is
   * damaged as well, it is left out, and `onUnreadable` is called with the error.
   */
  list(options?: Pick<CallOptions, 'onUnreadable'>): Promise<readonly CredentialViewOf<Kinds>[]>
  /**
   * Returns the views that `list` returns with the status `rejected`, and those that are damaged and
   * were rejected before. Needs `read` for the operation `listCredentials`. It reads no credential
   * that the provider has accepted.
   */
  listRejected(
    options?: Pick<CallOptions, 'onUnreadable'>,
  ): Promise<readonly CredentialViewOf<Kinds>[]>
  /**
   * Returns the secret reference of a value by the ids of its vault and item, `op://vault/item/field`,
   * for `createSecretFetch`. A program that uses it needs no other operation than `useField`. Nothing
   * is read, so the credential need not exist, and no permission is needed.
   * @param field - The id of a field of the kind.
   * @throws TypeError if the kind has no such field.
   */
  reference<Name extends CredentialName<Kinds>>(
    name: Name,
    field: CredentialFieldId<Kinds[Name]>,
    account?: CredentialAccount,
  ): Promise<string>
  /**
   * Calls `verify` of the kind and stores the result. The values, and who changed them, stay the
   * same. Without `verify`, nothing is written. Needs `read` and `write` for the operation
   * `verifyCredential`.
   * @returns The view. Its status is `rejected` if `verify` resolves with false.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws RuleError (500) if `verify` resolves with anything but a boolean.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  verify<Name extends CredentialName<Kinds>>(
    name: Name,
    account?: CredentialAccount,
  ): Promise<CredentialView<Kinds[Name], Name>>
  /**
   * Returns a value. Needs `read` for the operation `revealCredential`.
   * @param field The id of a field of the kind.
   * @throws TypeError if the kind has no such field; NotFoundError (404) if it has no value.
   */
  reveal<Name extends CredentialName<Kinds>>(
    name: Name,
    field: CredentialFieldId<Kinds[Name]>,
    account?: CredentialAccount,
  ): Promise<string>
  /**
   * Deletes a credential permanently, even one whose item is damaged. Needs `write` for the operation
   * `removeCredential`.
   */
  remove(name: CredentialName<Kinds>, account?: CredentialAccount): Promise<void>
}
