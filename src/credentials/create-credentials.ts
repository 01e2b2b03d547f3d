/** Saves, shows and verifies credentials: one item for each vault, name and account. */

import { argumentError, callback, limit, oneOf } from '../base/argument.js'
import { isObject } from '../base/is-object.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { isCaller } from '../core/access/caller.js'
import { assertServiceOrTransaction, inProcess } from '../core/assert-service.js'
import type { PrepareSave } from '../core/connections/save-credential.js'
import type { PrepareVerification } from '../core/connections/verify-credential.js'
import { toDescription } from '../core/items/describe-item.js'
import type { CallOptions } from '../core/operation/call-options.js'
import type { VaultService, VaultTransaction } from '../core/vault-service.js'
import { InvalidInputError, NotFoundError } from '../errors.js'
import { formatSecretReference } from '../references/secret-reference.js'
import type { RecordedCredential } from '../schema/activity-entry.js'
import type { ItemRef } from '../schema/ids.js'
import { isId } from '../schema/is-id.js'
import {
  type CredentialTarget,
  type CredentialView,
  findItemId,
  toView,
} from './credential-item.js'
import {
  assertKinds,
  type CredentialFields,
  type CredentialKind,
  type CredentialKinds,
} from './credential-kind.js'
import { toDescribedView, toViews } from './describe-credentials.js'
import { prepareSave, prepareVerification } from './prepare-credential.js'
import type { CredentialAccount, Credentials, HandledCredentials } from './vault-credentials.js'
import { createVerifier, type VerifiedCredential, type Verifier } from './verify-values.js'

/** Options of `createCredentials`. */
export interface CredentialsOptions {
  /**
   * How long a call of `verify` may take, in milliseconds: 100 or more, or Infinity for no limit.
   * Default: 10,000.
   */
  readonly verifyTimeoutMs?: number | undefined
  /**
   * Called when `verify` of a kind rejects or takes too long. The error has the class, code and
   * stack frames of the original one, but not its message, which can contain a value. Errors that
   * this function throws are ignored.
   */
  readonly onVerifyError?:
    | ((error: Error, credential: VerifiedCredential) => void | Promise<void>)
    | undefined
  /**
   * What to do if `verify` rejects or takes too long: `save` stores the values with the status
   * `unverified`, `refuse` rejects with CredentialUnverifiedError (503). A kind without `verify` is
   * always saved. Default: `save`.
   */
  readonly whenUnverified?: 'save' | 'refuse' | undefined
}

const credentialsOptions = defineOptions({
  verifyTimeoutMs: optional(limit({ min: 100, unit: 'milliseconds' }), 10_000),
  onVerifyError: optional(callback()),
  whenUnverified: optional(oneOf('save', 'refuse'), 'save'),
} satisfies OptionKinds<CredentialsOptions>)

/**
 * Creates a manager for your customers' credentials of these kinds, such as API keys.
 * @throws TypeError if `service` is not a service, a kind is invalid, or an option is unknown or has
 * the wrong type.
 * @throws RangeError if `verifyTimeoutMs` is not a number of 100 or more.
 * @example
 * const credentials = createCredentials(service, {
 *   stripe: {
 *     fields: { key: {}, team: { secret: false, optional: true } },
 *     origins: ['https://api.stripe.com'],
 *     verify: async ({ key }) => await isAccepted(key),
 *   },
 * })
 * await credentials.of(caller, vaultId).save('stripe', { key: 'sk_live_…' })
 */
export function createCredentials<const Fields extends Readonly<Record<string, CredentialFields>>>(
  service: VaultService | VaultTransaction,
  kinds: CredentialKinds<Fields>,
  options: CredentialsOptions = {},
): Credentials<CredentialKinds<Fields>> {
  // The compiler does not relate the types of a view to the name of its kind.
  const credentials: unknown = createUntyped(service, kinds, options)
  return credentials as Credentials<CredentialKinds<Fields>>
}

function createUntyped(
  service: VaultService | VaultTransaction,
  kinds: CredentialKinds,
  options: CredentialsOptions,
): HandledCredentials {
  const executing = assertServiceOrTransaction(service, { kinds, options })
  assertKinds(kinds)
  const { whenUnverified, ...verifyOptions } = credentialsOptions.read(options)
  const names = Object.keys(kinds)

  /**
   * Returns the kind, and the ids of the item.
   * @throws TypeError if there is no such kind, or `which` is not an object with an account.
   */
  async function locate<Name extends string>(
    vaultId: string,
    name: Name,
    which: CredentialAccount = {},
  ): Promise<{ target: CredentialTarget<Name>; ref: ItemRef }> {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw new TypeError(`name must be one of ${names.join(', ')}`)
    if (typeof which !== 'object' || which === null)
      throw argumentError(which, 'account', "an object, such as { account: 'live' }")
    const { account } = accountOptions.read(which, 'account')
    const itemId = isAccount(account) ? await findItemId(vaultId, name, account) : ''
    const ref = { vaultId, itemId }
    return { target: { vaultId, name, account, itemId, kind }, ref }
  }

  return {
    names,
    service: executing,
    of(caller, vaultId) {
      /** Executes an operation on a credential, as the caller. */
      const execute = <Name extends CredentialOperation>(
        operation: Name,
        { target, ref }: { readonly target: CredentialTarget; readonly ref: ItemRef },
        input: object = {},
      ) => {
        const credential = toRecorded(target)
        if (!isAccount(target.account)) {
          const known = isCaller(caller) ? { caller } : {}
          const refused = { ...known, ids: { vaultId }, credential }
          return executing.refuse(operation, refused, invalidAccountError())
        }
        const request = inProcess(caller, { ...ref, ...input })
        const call = executing.execute(operation, { ...request, credential })
        return withName(target, call as Promise<Awaited<typeof call>>)
      }

      /** Runs an operation that changes the item of a credential. */
      const change = async <Name extends string>(
        operation: 'saveCredential' | 'verifyCredential',
        name: Name,
        account: CredentialAccount | undefined,
        toPrepare: (
          target: CredentialTarget,
          verify: Verifier,
        ) => PrepareSave | PrepareVerification,
      ): Promise<CredentialView<CredentialKind, Name>> => {
        const found = await locate(vaultId, name, account)
        const { target } = found
        const verify = createVerifier(target, executing.now, verifyOptions)
        const prepare = toPrepare(target, verify)
        const item = await execute(operation, found, { credential: toRecorded(target), prepare })
        return toView(target, toDescription(item))
      }

      const list = async (options: ListOptions = {}) => {
        const { onUnreadable } = listOptions.read(options)
        const request = inProcess(caller, { vaultId }, { onUnreadable })
        const found = await executing.execute('listCredentials', request)
        return toViews(found, vaultId, kinds, onUnreadable)
      }

      return {
        save(name, given, account) {
          // Read once, before anything is waited for.
          const values: unknown = isObject(given) ? { ...given } : given
          return change('saveCredential', name, account, (target, verify) =>
            prepareSave(target, { given: values, whenUnverified }, verify),
          )
        },

        async describe(name, account) {
          const found = await locate(vaultId, name, account)
          return toDescribedView(found.target, await execute('describeCredential', found))
        },

        list,

        async listRejected(options) {
          const views = await list(options)
          return views.filter(({ status }) => status === 'rejected')
        },

        async reference(name, field, account) {
          const { target } = await locate(vaultId, name, account)
          assertField(target, field)
          if (!isAccount(target.account)) throw invalidAccountError()
          if (!isId(vaultId)) throw InvalidInputError.at('vaultId', 'must be the id of a vault')
          return formatSecretReference({ vault: vaultId, item: target.itemId, field })
        },

        verify: (name, account) => change('verifyCredential', name, account, prepareVerification),

        async reveal(name, field, account) {
          const found = await locate(vaultId, name, account)
          assertField(found.target, field)
          return execute('revealCredential', found, { field })
        },

        async remove(name, account) {
          await execute('removeCredential', await locate(vaultId, name, account))
        },
      }
    },
  }
}

type ListOptions = Pick<CallOptions, 'onUnreadable'>

const listOptions = defineOptions({
  onUnreadable: optional(callback()),
} satisfies OptionKinds<ListOptions>)

/** An invalid account is recorded as a refused call. */
const accountOptions = defineOptions({
  account: (account) => account,
} satisfies OptionKinds<CredentialAccount>)

/** The operations on one credential. */
type CredentialOperation =
  | 'saveCredential'
  | 'describeCredential'
  | 'verifyCredential'
  | 'revealCredential'
  | 'removeCredential'

/** Returns the name and the account of a credential, without the account if it is invalid. */
function toRecorded({ name, account }: CredentialTarget): RecordedCredential {
  return { name, ...(account !== undefined && isAccount(account) && { account }) }
}

/** @throws TypeError if the kind has no field with this id. */
function assertField({ kind }: CredentialTarget, field: string): void {
  const fields = Object.keys(kind.fields)
  if (!fields.includes(field)) throw new TypeError(`field must be one of ${fields.join(', ')}`)
}

/** Returns true if the account is valid or undefined. */
function isAccount(account: unknown): boolean {
  if (account === undefined) return true
  return typeof account === 'string' && /^\P{Cc}{1,200}$/u.test(account) && account.isWellFormed()
}

function invalidAccountError(): InvalidInputError {
  return InvalidInputError.at('account', 'must be 1 to 200 characters, none of control')
}

/** Makes a NotFoundError name the credential instead of its item. */
async function withName<Result>(
  { name }: CredentialTarget,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NotFoundError && error.resource === 'item')
      throw new NotFoundError(`credential ${name} not found`, { resource: 'item', id: error.id })
    throw error
  }
}
