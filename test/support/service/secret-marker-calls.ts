/** Every operation on a vault with a secret marker in every possible value. */

import { operations } from '../../../src/core/operations.js'
import type { ItemDraft, MethodName, VaultStore } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../bytes.js'
import { canaryDraft } from '../items/invalid-bodies.js'
import { exampleInput, exampleUse } from './operation-examples.js'
import { callOperation } from './vault-calls.js'

/** Returns a draft with the marker in every value, and with a URL of the origin of `useField`. */
function markedDraft(marker: string, vaultId: string): ItemDraft {
  const draft = canaryDraft(marker, vaultId)
  return { ...draft, urls: [...(draft.urls ?? []), { href: exampleUse.origin }] }
}

/** Creates a vault with the marker in every value of its item. */
export async function createMarkedVault(marker: string, store?: VaultStore): Promise<TestVault> {
  const vault = await createTestVault({ strict: false, ...(store && { store }) })
  const { vaultId, item, service, caller } = vault
  await service.replaceItem(caller, {
    vaultId,
    itemId: item.id,
    item: markedDraft(marker, vaultId),
  })
  await service.attachFile(caller, {
    vaultId,
    itemId: item.id,
    name: marker,
    content: utf8(marker),
  })
  return { ...vault, item: await service.getItem(caller, { vaultId, itemId: item.id }) }
}

/** Every operation except `listActivity`, which reads no vault and, without a log, no store. */
export type MarkedCalls = Record<Exclude<MethodName, 'listActivity'>, () => Promise<unknown>>

/** Operations after which others fail, so they come last. */
const last: readonly MethodName[] = ['setItemState', 'removeFile', 'deleteItem', 'deleteVault']

/** Returns the calls, with the marker in every input, on a marked vault. */
export function createMarkedCalls(
  marker: string,
  { service, caller, vaultId, item }: TestVault,
  who = caller,
): MarkedCalls {
  const parts = {
    ...{ vaultId, itemId: item.id, fileId: item.files.at(-1)?.id ?? '' },
    ...{ field: item.fields[0]?.id ?? '', version: item.version },
    ...{ text: marker, draft: markedDraft(marker, vaultId) },
  }
  const own: Partial<Record<MethodName, object>> = {
    listVaults: { filter: `title eq "Test" or title co "${marker}"` },
  }
  const names = Object.values(operations).flatMap(({ name }) =>
    name === 'listActivity' || last.includes(name) ? [] : name,
  )
  const calls = [...names, ...last].map((name) => [
    name,
    () => callOperation(service, name, who, { ...exampleInput(name, parts), ...own[name] }),
  ])
  return Object.fromEntries(calls)
}
