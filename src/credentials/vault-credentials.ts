/** The interface of the credentials of a service, and of those of one vault. */

import type { Caller } from '../core/access/caller.js'
import type { ExecutingService } from '../core/assert-service.js'
import type { CallOptions } from '../core/operation/call-options.js'
import type { CredentialView } from './credential-item.js'
import type {
  CredentialFieldId,
  CredentialKind,
  CredentialKinds,
  CredentialName,
} from './credential-kind.js'

/**
 * The credentials of a service.
 * @typeParam Kinds - The kinds. They determine the types of names, fields and views.
 */
export interface Credentials<Kinds extends CredentialKinds = CredentialKinds> {
  /** The names of the kinds, in the order in which you passed them. */
  readonly names: readonly CredentialName<Kinds>[]
  /**
   * Returns the credentials of a vault, for a caller. Nothing is checked or read until you call a
   * method.
   */
  of(caller: Caller | undefined, vaultId: string): VaultCredentials<Kinds>
}

/**
 * Credentials with the members that only `createCredentialHandler` calls. Every result of
 * `createCredentials` has them.
 */
export interface HandledCredentials extends Credentials {
  /** The service, or the application's transaction. */
  readonly service: ExecutingService
}

/** Which of several credentials of one kind. */
export interface CredentialAccount {
  /**
   * Distinguishes credentials of one kind in one vault, such as `live` and `test`: 1 to 200
   * characters without control characters. It is not a secret. By default the credential has no
   * account.
   */
  readonly account?: string | undefined
}

/** The values of a kind, as you pass them to `save`. */
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
 * - TypeError if no kind has this name, if `account` is not an object with only the member
 *   `account`, so that a typo never means the credential without an account, or if `list` or
 *   `listRejected` gets an unknown option
 * - InvalidInputError (400) if `account` is invalid
 * - NotFoundError (404) if the credential does not exist, or its item is marked as deleted. `save`
 *   creates a credential that does not exist
 *
 * No error contains a value.
 */
export interface VaultCredentials<Kinds extends CredentialKinds = CredentialKinds> {
  /**
   * Creates or changes a credential, after calling `verify` of its kind. Leave a value out, or pass
   * an empty secret, to keep what is stored. A field is secret unless it says `secret: false`. Pass
   * null to remove an optional value. Needs `read`
   * and `write` for the operation `saveCredential`.
   *
   * If the item is marked as deleted, it becomes active again, and none of its old values is kept.
   * If the status is `unreadable`, pass every required value.
   * @param values The values by field id.
   * @returns The view of what was stored. Its status is `unverified` if `verify` gave no result.
   * @throws CredentialRejectedError (422) if `verify` returns false. The stored values are kept.
   * @throws CredentialUnverifiedError (503) if the provider could not be reached and
   * `whenUnverified` is `refuse`. The stored values are kept.
   * @throws RuleError (500) if `verify` returns anything but a boolean.
   * @throws InvalidInputError (400) if
   * - a value is missing or not a string
   * - a secret is the hint of a view, or begins or ends with white space
   * - the origins change while a secret is kept
   * - the item is archived
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
   * Returns the views of all credentials of the vault, ordered by name and account, or an empty
   * array. Needs `read` for the operation `listCredentials`. Other items of the vault are not read.
   * A credential whose item is damaged has the status `unreadable`. If the record that lists it is
   * damaged as well, it is left out, and `onUnreadable` is called with the error.
   */
  list(options?: Pick<CallOptions, 'onUnreadable'>): Promise<readonly CredentialViewOf<Kinds>[]>
  /**
   * Returns the views that `list` returns with the status `rejected`, and reads as much as `list`.
   * Needs `read` for the operation `listCredentials`.
   */
  listRejected(
    options?: Pick<CallOptions, 'onUnreadable'>,
  ): Promise<readonly CredentialViewOf<Kinds>[]>
  /**
   * Returns the secret reference of a value for `createSecretFetch`: `op://vault/item/field` with
   * the ids of the vault and the item. A program that uses the reference needs only the operation
   * `useField`. `reference` reads nothing, so it needs no permission, and the credential need not
   * exist.
   * @param field - The id of a field of the kind.
   * @throws TypeError if the kind has no such field.
   */
  reference<Name extends CredentialName<Kinds>>(
    name: Name,
    field: CredentialFieldId<Kinds[Name]>,
    account?: CredentialAccount,
  ): Promise<string>
  /**
   * Calls `verify` of the kind and stores the result. The values and their author do not change. If
   * the kind has no `verify`, nothing is written. Needs `read` and `write` for the operation
   * `verifyCredential`.
   * @returns The view. Its status is `rejected` if `verify` returns false.
   * @throws InvalidInputError (400) if the item is archived, or a value is missing that the kind did
   * not need before.
   * @throws RuleError (500) if `verify` returns anything but a boolean.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  verify<Name extends CredentialName<Kinds>>(
    name: Name,
    account?: CredentialAccount,
  ): Promise<CredentialView<Kinds[Name], Name>>
  /**
   * Returns a value. Needs `read` for the operation `revealCredential`.
   * @param field The id of a field of the kind.
   * @throws TypeError if the kind has no such field.
   * @throws NotFoundError (404) if the field has no value.
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
