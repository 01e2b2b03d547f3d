/** Uses the values of an item for a request to one of its origins. */

import { assertOrigin, toOrigins } from '../../base/assert-origin.js'
import { vaultNotInScopeError } from '../../base/fixed-errors.js'
import { SecretUseError } from '../../errors.js'
import { isKeptByKeeper } from '../../schema/grant-item.js'
import { useFieldInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import type { SecretUseTarget } from '../../schema/secret-use.js'
import * as z from '../../schema/zod.js'
import { assertUseAllowed } from '../access/allowed-use.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { checkStrings } from '../runtime/limits.js'
import { findConnection } from './find-connection.js'
import { findField, type GetFieldInput } from './get-field.js'

/** Input of `useField`. */
export interface UseFieldInput extends GetFieldInput {
  /**
   * The request for which the value is used. The activity log records it. If the caller has only
   * the permission `use`, it must be one of the uses that they are allowed.
   */
  readonly use: SecretUseTarget
}

/** A value of an item, or all values that can sign a request, with the origins of its URLs. */
export type ItemSecret = { readonly origins: readonly string[] } & (
  | { readonly value: string }
  | { readonly values: Readonly<Record<string, string>> }
)

/**
 * A use by the library. It calls `read` to get the value, and must compare the origins before it
 * sends the value anywhere. If it reads the item itself, it calls `onRead` with the item, for the
 * activity log. The use is recorded when it has settled, as refused if it rejects.
 */
export type RunUse = (
  read: () => Promise<ItemSecret>,
  onRead: (item: Item) => Promise<void>,
) => Promise<void>

/**
 * Returns the value of a field, if the item has a URL of this origin. Value and URL come from the
 * same record, so a value is never returned for an origin of an earlier or later version. The
 * origin is checked before the field is looked up. A refresh token of an OAuth grant is never
 * returned. A caller with the permission `use` gets a value only for the requests that they are
 * allowed.
 *
 * The library passes a function that uses the value instead. One use has one entry, even if that
 * function refuses it. Without `field` it gets all values of the item, to sign a request. Without
 * `use` it returns an access token for any request, which needs the permission `read`.
 */
export const useField = defineOperation({
  name: 'useField',
  summary: 'Returns the value of a field for a request to an origin of its item',
  target: 'item',
  permissions: ['read'],
  allowsUse: true,
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED', 'RECONNECT_REQUIRED'],
  input: useFieldInputSchema,
  ownInput: z.extend(z.partial(useFieldInputSchema), { run: z.custom<RunUse>() }),
  async run(call, { vaultId, itemId, ...input }): Promise<string | undefined> {
    const { field, section, use } = input
    checkStrings({ field, section, use }, call.context.limits)
    if (call.isUseOnly) {
      if (use === undefined) throw vaultNotInScopeError(vaultId)
      assertUseAllowed(call.caller.use, { itemId, use })
    }
    const onRead = (item: Item): Promise<void> => call.setCredential(() => findConnection(item))
    const load = async (): Promise<Item> => {
      // Someone may have been asked for consent in the meantime, which takes long.
      call.assertNotExpired()
      const { item } = await loadItem(call.context, { vaultId, itemId })
      await onRead(item)
      return item
    }
    if ('run' in input) {
      await input.run(async () => toSecret(await load(), field, section), onRead)
      // An access token may have been refreshed, which takes long as well.
      call.assertNotExpired()
      return undefined
    }
    const item = await load()
    assertOrigin(urlsOf(item), input.use.origin)
    return findUsableValue(item, input)
  },
})

function urlsOf({ urls }: Item): readonly string[] {
  return urls.map(({ href }) => href)
}

/** Returns the value of a field, or all values without `field`. */
function toSecret(item: Item, field?: string, section?: string): ItemSecret {
  const origins = toOrigins(urlsOf(item))
  if (field === undefined) return { origins, values: toSigningValues(item) }
  return { origins, value: findUsableValue(item, { field, section }) }
}

/**
 * Returns the value of a field, or '' if it has none.
 * @throws SecretUseError (403) if only its token keeper may use it, and the errors of `findField`.
 */
function findUsableValue(item: Item, name: Pick<GetFieldInput, 'field' | 'section'>): string {
  const found = findField(item, name)
  if (isKeptByKeeper(item, found))
    throw new SecretUseError('a refresh token can only be used by its token keeper', {
      reason: 'REFRESH_TOKEN',
    })
  return found.value ?? ''
}

/**
 * Returns the values of an item by field id, without notes, refresh tokens and the internal fields
 * of credentials.
 */
function toSigningValues(item: Item): Readonly<Record<string, string>> {
  const fields = item.fields.filter(
    (field) =>
      field.purpose !== 'NOTES' &&
      !field.id.startsWith('credential.') &&
      !isKeptByKeeper(item, field),
  )
  return Object.fromEntries(fields.map(({ id, value = '' }) => [id, value]))
}
