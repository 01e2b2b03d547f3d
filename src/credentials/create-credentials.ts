/** Saves, shows and verifies credentials: one item for each vault, name and account. */

import { assertArgument, assertKnown, type KnownNames } from '../base/assert-argument.js'
import { isObject } from '../base/is-object.js'
import { assertService, inProcess } from '../core/assert-service.js'
import { toDescription } from '../core/items/describe-item.js'
import type { PrepareSave } from '../core/managed/save-credential.js'
import type { PrepareVerification } from '../core/managed/verify-credential.js'
import type { VaultService } from '../core/vault-service.js'
import { InvalidInputError, NotFoundError } from '../errors.js'
import type { ItemRef } from '../schema/ids.js'
import {
  type CredentialTarget,
  type CredentialView,
  findItemId,
  toView,
} from './credential-item.js'
import { assertKinds, type CredentialKinds } from './credential-kind.js'
import { describeCredential, listCredentials } from './describe-credentials.js'
import { prepareSave, prepareVerification } from './prepare-credential.js'
import type { CredentialAccount, Credentials } from './vault-credentials.js'
import { createVerifier, type Verifier } from './verify-values.js'

/** Options of `createCredentials`. */
export interface CredentialsOptions {
  /** Milliseconds for each call of `verify`, 1 or more; 10,000 if absent. */
  readonly verifyTimeoutMs?: number
}

const optionNames: KnownNames<CredentialsOptions> = { verifyTimeoutMs: true }

/**
 * Creates credentials, such as the API keys of customers, of the given kinds.
 * @throws TypeError if `service` is not a service, a kind is invalid or an option is unknown.
 * @throws RangeError if `verifyTimeoutMs` is not a number of 1 or more.
 * @example
 * const credentials = createCredentials(service, {
 *   stripe: { fields: { key: { secret: true } }, origins: ['https://api.stripe.com'] },
 * })
 * await credentials.of(caller, vaultId).save('stripe', { key: 'sk_live_…' })
 */
export function createCredentials(
  service: VaultService,
  kinds: CredentialKinds,
  options: CredentialsOptions = {},
): Credentials {
  const executing = assertService(service)
  assertKinds(kinds)
  assertKnown(options, optionNames)
  const { verifyTimeoutMs = 10_000 } = options
  if (!(verifyTimeoutMs >= 1)) throw new RangeError('verifyTimeoutMs must be a number of 1 or more')
  const names = Object.keys(kinds)

  /** Returns the kind, and the ids of the item. */
  async function locate(
    vaultId: string,
    name: string,
    which: CredentialAccount = {},
  ): Promise<{ target: CredentialTarget; ref: ItemRef }> {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) throw new TypeError(`name must be one of ${names.join(', ')}`)
    const isWhich = typeof which === 'object' && which !== null
    assertArgument(isWhich, 'account', "an object, such as { account: 'live' }")
    assertKnown<CredentialAccount>(which, { account: true }, 'account')
    const { account } = which
    if (account !== undefined && !isAccount(account))
      throw InvalidInputError.at('account', 'must be 1 to 200 characters, none of control')
    const ref = { vaultId, itemId: await findItemId(vaultId, name, account) }
    return { target: { vaultId, name, account, kind }, ref }
  }

  return {
    names,
    of(caller, vaultId) {
      const vault = service.as(caller)

      /** Runs an operation that changes the item of a credential, as the caller. */
      const change = async (
        operation: 'saveCredential' | 'verifyCredential',
        name: string,
        account: CredentialAccount | undefined,
        toPrepare: (
          target: CredentialTarget,
          verify: Verifier,
        ) => PrepareSave | PrepareVerification,
      ): Promise<CredentialView> => {
        const { target, ref } = await locate(vaultId, name, account)
        const verify = createVerifier(target.kind, () => service.now(), verifyTimeoutMs)
        const prepare = toPrepare(target, verify)
        const request = inProcess(caller, { ...ref, prepare })
        const item = await withName(target, executing.execute(operation, request))
        return toView(target, toDescription(item))
      }

      return {
        save(name, given, account) {
          // Read once, before anything is waited for.
          const values: unknown = isObject(given) ? { ...given } : given
          return change('saveCredential', name, account, (target, verify) =>
            prepareSave(target, values, verify),
          )
        },

        async describe(name, account) {
          const { target, ref } = await locate(vaultId, name, account)
          return withName(target, describeCredential(vault, target, ref))
        },

        list: (listOptions = {}) => listCredentials(vault, vaultId, kinds, listOptions),

        verify: (name, account) => change('verifyCredential', name, account, prepareVerification),

        async reveal(name, field, account) {
          const { target, ref } = await locate(vaultId, name, account)
          if (!Object.hasOwn(target.kind.fields, field))
            throw new TypeError(
              `field must be one of ${Object.keys(target.kind.fields).join(', ')}`,
            )
          const { id, value = '' } = await withName(target, vault.getField({ ...ref, field }))
          // Another field can have this id as its label.
          if (id !== field || value === '') throw new NotFoundError('field', field)
          return value
        },

        async remove(name, account) {
          const { target, ref } = await locate(vaultId, name, account)
          await withName(target, vault.deleteItem(ref))
        },
      }
    },
  }
}

function isAccount(account: unknown): boolean {
  return typeof account === 'string' && /^\P{Cc}{1,200}$/u.test(account) && account.isWellFormed()
}

/** Names the credential in place of its item if it does not exist. */
async function withName<Result>(
  { name }: CredentialTarget,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call
  } catch (error) {
    if (error instanceof NotFoundError && error.resource === 'item')
      throw new NotFoundError('item', error.id, `credential ${name} not found`)
    throw error
  }
}
