/** Compares what a vault holds after a crash with what its writers have said. */

import { type Caller, createCaller, type Item, type VaultService } from 'cofferkit'
import { contentOf, type Intent, type Journal } from './journal.js'

/** What was found. The names of what is wrong, each with its token or item. */
export interface Findings {
  /** Acknowledged, and not there. */
  readonly lost: ReadonlySet<string>
  /** There, and not as somebody wrote it. */
  readonly torn: ReadonlySet<string>
  /** There more than once. */
  readonly duplicated: ReadonlySet<string>
  /** Not acknowledged and there all the same, which is allowed. */
  readonly unacknowledged: number
}

const caller: Caller = createCaller('checker', '*')

/**
 * Reads every item and every file's content. A change adds one tag or one file and one version, so that their number
 * tells whether each was made once and wholly; the password is that of the last patch.
 */
export async function checkVault(
  service: VaultService,
  vaultId: string,
  journal: Journal,
): Promise<Findings> {
  const found = { lost: new Set<string>(), torn: new Set<string>(), duplicated: new Set<string>() }
  const versions = new Map<string, number>()
  const places = new Map<string, string>()
  const meet = (token: string | undefined, itemId: string, kind: Intent['kind']): void => {
    const intent = journal.intents.get(token ?? '')
    if (token === undefined || intent?.kind !== kind || (intent.itemId ?? itemId) !== itemId)
      found.torn.add(`${kind} ${token} in ${itemId}`)
    else if (places.has(token)) found.duplicated.add(`${kind} ${token}`)
    else places.set(token, itemId)
  }
  const listed = await service.listItems(caller, { vaultId }).catch(() => undefined)
  if (listed === undefined) found.torn.add('the list of items')
  for (const { id } of listed ?? []) {
    const item = await service.getItem(caller, { vaultId, itemId: id }).catch(() => undefined)
    if (item === undefined || !isConsistent(item)) found.torn.add(`item ${id}`)
    if (item === undefined) continue
    versions.set(id, item.version)
    meet(item.title, id, 'create')
    for (const tag of item.tags) meet(tag, id, 'patch')
    for (const file of item.files) meet(file.name, id, 'attach')
    for (const name of await tornFiles(service, item)) found.torn.add(`file ${name}`)
  }
  for (const [token, { itemId, version }] of journal.acknowledged) {
    if (places.get(token) !== itemId || (versions.get(itemId) ?? 0) < version) found.lost.add(token)
  }
  const unsaid = [...places.keys()].filter((token) => !journal.acknowledged.has(token))
  return { ...found, unacknowledged: unsaid.length }
}

function isConsistent({ version, title, tags, files, fields }: Item): boolean {
  const password = fields.find(({ id }) => id === 'password')?.value
  return version === 1 + tags.length + files.length && password === (tags.at(-1) ?? title)
}

/** The names of the item's files whose content cannot be read or is not what was attached. */
async function tornFiles(service: VaultService, item: Item): Promise<readonly string[]> {
  const torn: string[] = []
  for (const { id: fileId, name } of item.files) {
    const ref = { vaultId: item.vault.id, itemId: item.id, fileId }
    const isWhole = await service
      .readFileContent(caller, ref)
      .then(async ({ content }) => Buffer.from(await new Response(content).arrayBuffer()))
      .then(
        (bytes) => bytes.equals(contentOf(name)),
        () => false,
      )
    if (!isWhole) torn.push(name)
  }
  return torn
}
