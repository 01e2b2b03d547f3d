/** Converts the described items of credentials to views. */

import type { DescribedItem, FoundCredential } from '../core/connections/describe-credential.js'
import { DecryptionError } from '../errors.js'
import {
  type CredentialTarget,
  type CredentialView,
  findItemId,
  readNames,
  toUnreadableView,
  toView,
} from './credential-item.js'
import type { CredentialKind, CredentialKinds } from './credential-kind.js'

/** Returns the view of a credential. */
export function toDescribedView<Name extends string>(
  target: CredentialTarget<Name>,
  item: DescribedItem,
): CredentialView<CredentialKind, Name> {
  return item instanceof DecryptionError
    ? toUnreadableView(target, Number(item.record?.version))
    : toView(target, item)
}

/**
 * Returns the views of the credentials of these kinds, in the order of their names and accounts. If
 * an item and its record are both unreadable, they are reported to `onUnreadable` and left out.
 */
export async function toViews(
  found: readonly FoundCredential[],
  vaultId: string,
  kinds: CredentialKinds,
  onUnreadable: ((error: DecryptionError) => void) | undefined,
): Promise<readonly CredentialView[]> {
  const views: CredentialView[] = []
  for (const { itemId, listed, item } of found) {
    const isUnreadable = item instanceof DecryptionError
    const names = isUnreadable ? listed : readNames(item)
    const target = names && (await findTarget(vaultId, kinds, itemId, names))
    if (target !== undefined) views.push(toDescribedView(target, item))
    else if (isUnreadable && names === undefined) onUnreadable?.(item)
  }
  return views.sort(compareViews)
}

/** Returns the credential with these names, or undefined if its item would have another id. */
async function findTarget(
  vaultId: string,
  kinds: CredentialKinds,
  itemId: string,
  { name, account: found = '' }: { readonly name: string; readonly account?: string | undefined },
): Promise<CredentialTarget | undefined> {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  const account = found === '' ? undefined : found
  if (kind === undefined || (await findItemId(vaultId, name, account)) !== itemId) return undefined
  return { vaultId, name, account, itemId, kind }
}

function compareViews(left: CredentialView, right: CredentialView): number {
  const [one, other] = [left, right].map(({ name, account = '' }) => `${name}\n${account}`)
  return String(one) < String(other) ? -1 : 1
}
