/** The secrets in the items of a vault, as the source of the secret fetch. */

import { anyFunction, like, readArgument } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { callRule } from '../base/rule-error.js'
import { type Caller, timeLeftOf } from '../core/access/caller.js'
import { assertService, inProcess } from '../core/assert-service.js'
import { takeTokenMethod } from '../core/connections/take-token.js'
import type { VaultService } from '../core/vault-service.js'
import { SecretUseError } from '../errors.js'
import { createNameSearches, findItemRef } from '../references/find-item.js'
import type { ItemRef } from '../schema/ids.js'
import type { ReadSecret, SecretSource, ValueReference } from './secret-source.js'

/** Returns access tokens that have not expired. A token keeper with `vaultGrants` is one. */
export interface AccessTokenSource {
  /**
   * Returns the access token of the grant in an item.
   * @param options - `rejected` is a token that an API has rejected. Never return it.
   */
  accessToken(
    ref: ItemRef,
    caller: Caller | undefined,
    options?: { readonly rejected?: string | undefined },
  ): Promise<string>
}

/** Options of `vaultSecrets`. */
export interface VaultSecretsOptions {
  /**
   * Returns the tokens for references with `?attribute=access_token`. By default such a reference
   * is refused.
   */
  readonly tokens?: AccessTokenSource | undefined
}

const secretOptions = defineOptions({
  tokens: optional(like({ accessToken: anyFunction })),
} satisfies OptionKinds<VaultSecretsOptions>)

/**
 * Returns the secrets that a caller may use, for `createSecretFetch`. A value is only sent to the
 * origins among its item's URLs. A token keeper's refresh token is never sent.
 *
 * The caller needs `useField` on the item, with the permission `read` or `use`. If references have
 * names instead of ids, the caller also needs `read` for `listVaults` and `listItems`. When the
 * caller expires, a response in progress fails with UnauthorizedError (401).
 *
 * The activity log records each use as one `useField`, even if it is refused. The errors are those
 * of `useField` and `tokens`.
 * @throws TypeError if `service` is not a service, `caller` is not a caller, or an option is invalid.
 * @example
 * const secretFetch = createSecretFetch(vaultSecrets(service, caller))
 */
export function vaultSecrets(
  service: VaultService,
  caller: Caller,
  options: VaultSecretsOptions = {},
): SecretSource {
  const executing = assertService(service, { caller, options })
  readArgument(like({ can: anyFunction }), { caller, options })
  const { tokens } = secretOptions.read(options)
  const vault = service.as(caller)
  const ending = caller.expiresAt && { timeLeft: () => timeLeftOf(caller, service.now) }

  /** Returns the token of a grant, without an activity log entry if `tokens` is a token keeper. */
  async function takeToken(ref: ItemRef, rejected?: string): Promise<string> {
    const take: unknown = Reflect.get(Object(tokens), takeTokenMethod)
    const token = await callRule('tokens', async () =>
      typeof take === 'function'
        ? take.call(tokens, ref, rejected)
        : tokens?.accessToken(ref, caller, { rejected }),
    )
    return String(token)
  }

  return async (reference, target, next) => {
    const { field, section, isToken = false } = reference.all ? {} : toUsedField(reference, tokens)
    const named = { field: '', ...reference }
    const ref = await findItemRef(createNameSearches(vault, [named], true), named)
    const run = (read: ReadSecret): Promise<void> =>
      next(async () => {
        // The token is never newer than the origins.
        const token = isToken ? await takeToken(ref) : undefined
        const found = { ...(await read()), ...ending }
        if (token === undefined) return found
        const renew = async (): Promise<void> => void (await takeToken(ref, token))
        return { ...found, value: token, renew }
      })
    const input = { ...ref, field, section, use: target, run }
    await executing.execute('useField', { ...inProcess(caller, input), isOwn: true })
  }
}

/** The field that a reference names. */
interface UsedField {
  readonly field: string
  readonly section: string | undefined
  /** True if the access token of a grant is used instead of the field. */
  readonly isToken: boolean
}

/** @throws SecretUseError (403) if the reference names anything but a value or a token. */
function toUsedField(
  { field, section, attribute, sshFormat }: ValueReference,
  tokens: AccessTokenSource | undefined,
): UsedField {
  const isToken = attribute === 'access_token'
  if (isToken && tokens === undefined)
    throw new SecretUseError(
      'a reference to an access_token needs the option tokens of vaultSecrets',
      { reason: 'NO_TOKENS' },
    )
  const canUse = attribute === undefined || attribute === 'value' || isToken
  if (!canUse || sshFormat !== undefined)
    throw new SecretUseError('the attribute of the reference cannot be used', {
      reason: 'ATTRIBUTE',
    })
  return { field, section, isToken }
}
