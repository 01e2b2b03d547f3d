/** The state of a vault that callers can see, and leftovers in its store. */

import type { Item, VaultService } from 'cofferkit'
import type { Fixture } from './fixture.js'
import type { OperationCall } from './operation-calls.js'

/** The content of a file that cannot be read. */
export const unreadable = 'unreadable'

/** One item, as texts without the ids that were created on the way. */
export interface VisibleItem {
  readonly item: string
  readonly summary: string
  /** The content of each of its files. */
  readonly contents: readonly string[]
  /** Its archived versions that are never pruned here, newest first. */
  readonly versions: readonly string[]
}

/** The visible state. */
export interface VisibleState {
  /** The vault that `createVault` creates; empty if it does not exist. */
  readonly newVault: string
  readonly items: readonly VisibleItem[]
}

/**
 * Reads everything that the service returns about the fixture's vault and about the one that
 * `createVault` creates. If the operation raises the versions of items, they are left out, and of the
 * archived ones only whether all are there is shown.
 */
export async function visibleState(
  fixture: Fixture,
  { raisesVersion }: Pick<OperationCall, 'raisesVersion'>,
): Promise<VisibleState> {
  const service = fixture.service(fixture.inner, 1)
  const { caller, vaultId } = fixture
  const text = (value: unknown): string => replaceNewIds(fixture, JSON.stringify(value))
  const current = <Versioned extends { version: number }>(found: Versioned): string =>
    text(raisesVersion ? { ...found, version: 0 } : found)
  const newVault = await service.getVault(caller, { vaultId: 'n'.repeat(26) }).then(text, () => '')
  const summaries = await service.listItems(caller, { vaultId })
  const items = await Promise.all(
    summaries.map(async (summary): Promise<VisibleItem> => {
      const item = await service.getItem(caller, { vaultId, itemId: summary.id })
      const contents = await readContents(service, fixture, item)
      const kept = await readVersions(service, fixture, item, item.version - 3)
      // An operation that raises versions archives and prunes others in each state, but misses none.
      const isWhole = kept.length === Math.min(3, item.version - 1)
      const versions = raisesVersion ? [isWhole ? 'whole' : 'with gaps'] : kept.map(text)
      return { item: current(item), summary: current(summary), contents, versions }
    }),
  )
  return { newVault, items: items.sort((one, other) => (one.item < other.item ? -1 : 1)) }
}

const newId = /\b(?:[a-z0-9]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g

/** Replaces every id that was created on the way by `#`. */
export function replaceNewIds({ vaultId, itemId, ...fixture }: Fixture, text: string): string {
  const known = [vaultId, itemId, fixture.smallFileId, fixture.largeFileId]
  return text.replace(newId, (id) => (known.includes(id) ? id : '#'))
}

/** Collects all garbage, and returns one sentence for each thing that is still left behind. */
export async function findLeftovers(fixture: Fixture): Promise<string[]> {
  const { caller, vaultId, inner } = fixture
  const service = fixture.service(inner, 2)
  // The first collection records the blobs that it removes, and the second removes the records.
  for (let run = 0; run < 2; run++) {
    fixture.advance(7_200_000)
    await service.collectGarbage(caller, { vaultId })
  }
  const summaries = await service.listItems(caller, { vaultId })
  const items = await Promise.all(
    summaries.map(({ id: itemId }) => service.getItem(caller, { vaultId, itemId })),
  )
  const files = items.flatMap(({ files }) => files)
  const left: string[] = []
  if (fixture.blobIds.size !== files.length)
    left.push(`${fixture.blobIds.size} blobs for ${files.length} files`)
  const pendingRecords = await inner.records.list(`pending-blobs/${vaultId}`, { limit: 100 })
  if (pendingRecords.length > 0) left.push(`${pendingRecords.length} pending-blob records`)
  const versions = await inner.records.list(`versions/${vaultId}`, { limit: 1000 })
  if (versions.some(({ id }) => !items.some((item) => id.startsWith(item.id))))
    left.push('versions of a deleted item')
  return left
}

async function readContents(
  service: VaultService,
  fixture: Fixture,
  item: Item,
): Promise<string[]> {
  const contents = item.files.map(async ({ id: fileId }) => {
    const ref = { vaultId: fixture.vaultId, itemId: item.id, fileId }
    try {
      return await new Response((await service.readFileContent(fixture.caller, ref)).content).text()
    } catch {
      return unreadable
    }
  })
  return Promise.all(contents)
}

/** The archived versions from `oldest` on. Older ones can already be pruned. */
async function readVersions(
  service: VaultService,
  fixture: Fixture,
  item: Item,
  oldest: number,
): Promise<Item[]> {
  const ref = { vaultId: fixture.vaultId, itemId: item.id }
  const versions = await service.listVersions(fixture.caller, ref)
  const archived = versions.filter(({ version }) => version >= oldest && version < item.version)
  return Promise.all(
    archived.map(({ version }) => service.getVersion(fixture.caller, { ...ref, version })),
  )
}
