/** Compares the contents of a vault after a crash with the journal of its writers. */

import {
  type Caller,
  createCaller,
  type DecryptionError,
  type Item,
  type VaultService,
} from 'cofferkit'
import { createContent, type Intent, type Journal } from './journal.js'

/** The names of what is wrong, each with its token or item. */
export interface Findings {
  /** Acknowledged and missing. */
  readonly lost: ReadonlySet<string>
  /** Present, but not as it was written. */
  readonly torn: ReadonlySet<string>
  /** Present more than once. */
  readonly duplicated: ReadonlySet<string>
  /** Number of writes that are present and were not acknowledged, which is allowed. */
  readonly unacknowledged: number
}

const caller: Caller = createCaller({ id: 'checker', vaults: '*' })

/**
 * Reads every item and the content of every file. Each change adds one tag or one file, and one
 * version. Their numbers show whether each change was made once and completely. The password is
 * that of the last patch.
 */
export async function checkVault(
  service: VaultService,
  vaultId: string,
  journal: Journal,
): Promise<Findings> {
  const found = { lost: new Set<string>(), torn: new Set<string>(), duplicated: new Set<string>() }
  const versions = new Map<string, number>()
  const itemIds = new Map<string, string>()
  const addToken = (token: string | undefined, itemId: string, kind: Intent['kind']): void => {
    const intent = journal.intents.get(token ?? '')
    if (token === undefined || intent?.kind !== kind || (intent.itemId ?? itemId) !== itemId)
      found.torn.add(`${kind} ${token} in ${itemId}`)
    else if (itemIds.has(token)) found.duplicated.add(`${kind} ${token}`)
    else itemIds.set(token, itemId)
  }
  const onUnreadable = ({ record }: DecryptionError): void =>
    void found.torn.add(`item ${record?.id}`)
  const listed = await service
    .listItems(caller, { vaultId }, { onUnreadable })
    .catch(() => undefined)
  if (listed === undefined) found.torn.add('the list of items')
  for (const { id } of listed ?? []) {
    const item = await service.getItem(caller, { vaultId, itemId: id }).catch(() => undefined)
    if (item === undefined || !isConsistent(item)) found.torn.add(`item ${id}`)
    if (item === undefined) continue
    versions.set(id, item.version)
    addToken(item.title, id, 'create')
    for (const tag of item.tags) addToken(tag, id, 'patch')
    for (const file of item.files) addToken(file.name, id, 'attach')
    for (const name of await findTornFiles(service, item)) found.torn.add(`file ${name}`)
  }
  for (const [token, { itemId, version }] of journal.acknowledged) {
    if (itemIds.get(token) !== itemId || (versions.get(itemId) ?? 0) < version)
      found.lost.add(token)
  }
  const unacknowledged = [...itemIds.keys()].filter((token) => !journal.acknowledged.has(token))
  return { ...found, unacknowledged: unacknowledged.length }
}

function isConsistent({ version, title, tags, files, fields }: Item): boolean {
  const password = fields.find(({ id }) => id === 'password')?.value
  return version === 1 + tags.length + files.length && password === (tags.at(-1) ?? title)
}

/** The names of the files whose content cannot be read or is not the attached one. */
async function findTornFiles(service: VaultService, item: Item): Promise<readonly string[]> {
  const torn: string[] = []
  for (const { id: fileId, name } of item.files) {
    const ref = { vaultId: item.vault.id, itemId: item.id, fileId }
    const isComplete = await service
      .readFileContent(caller, ref)
      .then(async ({ content }) => Buffer.from(await new Response(content).arrayBuffer()))
      .then(
        (bytes) => bytes.equals(createContent(name)),
        () => false,
      )
    if (!isComplete) torn.push(name)
  }
  return torn
}
