/** Finds out which credential or OAuth grant is in an item. */

import { deriveItemId } from '../../base/derive-id.js'
import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { Item } from '../../schema/item.js'

/** The prefix of the fields with the name and the account, by what is in the item. */
const fieldPrefixes = { credential: 'credential.', grant: '' } as const

/**
 * Returns the name and the account of the credential or grant in an item. Returns undefined for any
 * other item, and if somebody has changed the name or the account, so that the id is another one.
 */
export async function findConnection(item: Item): Promise<RecordedCredential | undefined> {
  const valueOf = (id: string): string => item.fields.find((field) => field.id === id)?.value ?? ''
  for (const kind of ['credential', 'grant'] as const) {
    const prefix = fieldPrefixes[kind]
    const [name, account] = [valueOf(`${prefix}name`), valueOf(`${prefix}account`)]
    const found = { name, ...(account !== '' && { account }) }
    if (name !== '' && (await deriveItemId(kind, item.vault.id, found)) === item.id) return found
  }
  return undefined
}
