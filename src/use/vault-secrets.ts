/** The secrets in the items of a vault, as the source of the secret fetch. */

import { anyFunction, like, readArgument } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { toRuleError } from '../base/rule-error.js'
import { type Caller, timeLeftOf } from '../core/access/caller.js'
import { assertService, inProcess } from '../core/assert-service.js'
import { takeTokenMethod } from '../core/managed/take-token.js'
import type { VaultService } from '../core/vault-service.js'
import { SecretUseError } from '../errors.js'
import { createNameSearches, findItemRef } from '../references/find-item.js'
import type { ItemRef } from '../schema/ids.js'
import type { FoundSecret, FoundSecrets, SecretSource } from './secret-source.js'

/** Returns access tokens that have not expired, such as a keeper of `vaultGrants`. */
export interface AccessTokenSource {
  /**
   * Returns the access token of the grant in an item.
   * @param options - `rejected` is a token that an API has rejected, and must not be returned.
   */
  accessToken(
    ref: ItemRef,
    caller: Caller | undefined,
    options?: { readonly rejected?: string | undefined },
  ): Promise<string>
}

/** Options of `vaultSecrets`. */
export interface VaultSecretsOptions {
  /** Returns the tokens of `?attribute=access_token`. By default, such a reference is refused. */
  readonly tokens?: AccessTokenSource | undefined
}

const secretOptions = defineOptions({
  tokens: optional(like({ accessToken: anyFunction })),
} satisfies OptionKinds<VaultSecretsOptions>)

/**
 * Returns the secrets that a caller may use, for `createSecretFetch`. A value is only returned for an
 * origin among the URLs of its item, and a refresh token of a token keeper for none. The caller needs
 * `useField` on the item, with the permission `read` or `use`, and `read` for `listVaults` and
 * `listItems` if the reference has names instead of ids. When the caller expires, a response that has
 * begun ends with UnauthorizedError (401).
 * Each use is one `useField` in the activity log, including a use that is refused for the item of a
 * reference. The errors are those of `useField`, and of `tokens`.
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
  const ending = caller.until && { timeLeft: () => timeLeftOf(caller, service.now) }

  /** Returns the token of a grant, without an entry in the activity log if `tokens` is a keeper. */
  async function takeToken(ref: ItemRef, rejected?: string): Promise<string> {
    const take: unknown = Reflect.get(Object(tokens), takeTokenMethod)
    try {
      return String(
        await (typeof take === 'function'
          ? take.call(tokens, ref, rejected)
          : tokens?.accessToken(ref, caller, { rejected })),
      )
    } catch (error) {
      throw toRuleError(error, 'tokens')
    }
  }

  const aroundUse: SecretSource['aroundUse'] = async (reference, target, next) => {
    const { field, section, attribute, sshFormat } = reference
    const { origin, place } = target
    const isToken = attribute === 'access_token'
    if (isToken && tokens === undefined)
      throw new SecretUseError(
        'a reference to an access_token needs the option tokens of vaultSecrets',
        'NO_TOKENS',
      )
    const canUse = attribute === undefined || attribute === 'value' || isToken
    // A token is made for requests, and verifies nothing.
    if (!canUse || (isToken && origin === undefined) || sshFormat !== undefined)
      throw new SecretUseError('the attribute of the reference cannot be used', 'ATTRIBUTE')
    const ref = await findItemRef(createNameSearches(vault, [reference], true), reference)
    const run = (find: () => Promise<string>): Promise<void> =>
      next(async () => {
        // The token is never newer than the origins.
        const token = isToken ? await takeToken(ref) : undefined
        // It throws for an origin that the item does not have.
        const value = await find()
        const found = { value, origins: origin === undefined ? [] : [origin], ...ending }
        if (token === undefined) return found
        const renew = async (): Promise<void> => void (await takeToken(ref, token))
        return { ...found, value: token, renew }
      })
    const operation = origin === undefined ? 'useToVerify' : 'useSecret'
    const use = origin === undefined ? { place } : target
    await executing.execute(operation, inProcess(caller, { ...ref, field, section, use, run }))
  }

  return {
    aroundUse,
    async find(reference, target) {
      let found: FoundSecret | undefined
      await aroundUse(reference, target, async (find) => {
        found = await find?.(reference, target)
      })
      return found as FoundSecret
    },
    async findAll(reference, target, next) {
      const named = { ...reference, field: '' }
      const ref = await findItemRef(createNameSearches(vault, [named], true), named)
      let values: FoundSecrets['values'] = {}
      const run = async (find: () => Promise<FoundSecrets['values']>): Promise<void> => {
        await next()
        values = await find()
      }
      await executing.execute('useItem', inProcess(caller, { ...ref, use: target, run }))
      return { values, origins: [target.origin], ...ending }
    },
  }
}
