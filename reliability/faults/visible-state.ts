/** What anybody can see of a vault, and what nobody should find behind it. */

import type { Item, VaultService } from 'cofferkit'
import type { Stage } from './fixture.js'
import type { StagedCall } from './operations.js'

/** The content of a file that cannot be read. */
export const unreadable = 'unreadable'

/** One item, as texts without the ids that were made on the way. */
export interface VisibleItem {
  readonly item: string
  readonly summary: string
  /** The content of each of its files. */
  readonly contents: readonly string[]
  /** Its older versions, newest first, as far as they are surely kept. */
  readonly versions: readonly string[]
}

/** What can be seen. */
export interface VisibleState {
  /** The vault that `createVault` makes; empty if there is none. */
  readonly newVault: string
  readonly items: readonly VisibleItem[]
}

/**
 * Everything that the service answers of the stage's vault and of the one that `createVault` makes; without the versions
 * of items if the operation raises them.
 */
export async function visibleState(
  stage: Stage,
  { raisesVersion }: Pick<StagedCall, 'raisesVersion'>,
): Promise<VisibleState> {
  const service = stage.service(stage.inner, 1)
  const { caller, vaultId } = stage
  const text = (value: unknown): string => withoutNewIds(stage, JSON.stringify(value))
  const current = <Versioned extends { version: number }>(found: Versioned): string =>
    text(raisesVersion ? { ...found, version: 0 } : found)
  const newVault = await service.getVault(caller, { vaultId: 'n'.repeat(26) }).then(text, () => '')
  const summaries = await service.listItems(caller, { vaultId })
  const items = await Promise.all(
    summaries.map(async (summary): Promise<VisibleItem> => {
      const item = await service.getItem(caller, { vaultId, itemId: summary.id })
      const contents = await contentsOf(service, stage, item)
      const oldest = raisesVersion ? 1 : item.version - 3
      const versions = (await versionsOf(service, stage, item, oldest)).map(text)
      return { item: current(item), summary: current(summary), contents, versions }
    }),
  )
  return { newVault, items: items.sort((one, other) => (one.item < other.item ? -1 : 1)) }
}

const newId = /\b(?:[a-z0-9]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/g

/** The text with `#` for every id that was made on the way. */
export function withoutNewIds({ vaultId, itemId, ...stage }: Stage, text: string): string {
  const known = [vaultId, itemId, stage.smallFileId, stage.largeFileId]
  return text.replace(newId, (id) => (known.includes(id) ? id : '#'))
}

/** What is still left behind when everything that can be swept has been; one sentence for each. */
export async function leftBehind(stage: Stage): Promise<string[]> {
  const { caller, vaultId, inner } = stage
  const service = stage.service(inner, 2)
  // What the first sweep removes it notes for the second.
  for (let sweeps = 0; sweeps < 2; sweeps++) {
    stage.advance(7_200_000)
    await service.collectGarbage(caller, { vaultId })
  }
  const summaries = await service.listItems(caller, { vaultId })
  const items = await Promise.all(
    summaries.map(({ id: itemId }) => service.getItem(caller, { vaultId, itemId })),
  )
  const files = items.flatMap(({ files }) => files)
  const left: string[] = []
  if (stage.blobIds.size !== files.length)
    left.push(`${stage.blobIds.size} contents for ${files.length} files`)
  const pendingRecords = await inner.records.list(`pending-blobs/${vaultId}`, { limit: 100 })
  if (pendingRecords.length > 0) left.push(`${pendingRecords.length} notes`)
  const versions = await inner.records.list(`versions/${vaultId}`, { limit: 1000 })
  if (versions.some(({ id }) => !items.some((item) => id.startsWith(item.id))))
    left.push('versions of an item that is gone')
  return left
}

async function contentsOf(service: VaultService, stage: Stage, item: Item): Promise<string[]> {
  const contents = item.files.map(async ({ id: fileId }) => {
    const ref = { vaultId: stage.vaultId, itemId: item.id, fileId }
    try {
      return await new Response((await service.readFileContent(stage.caller, ref)).content).text()
    } catch {
      return unreadable
    }
  })
  return Promise.all(contents)
}

/** The versions that are kept from the oldest that surely is; older ones may be gone or not. */
async function versionsOf(
  service: VaultService,
  stage: Stage,
  item: Item,
  oldest: number,
): Promise<Item[]> {
  const ref = { vaultId: stage.vaultId, itemId: item.id }
  const versions = await service.listVersions(stage.caller, ref)
  const kept = versions.filter(({ version }) => version >= oldest && version < item.version)
  return Promise.all(
    kept.map(({ version }) => service.getVersion(stage.caller, { ...ref, version })),
  )
}
