/** Every operation on a vault with a secret marker in every possible value. */

import type { MethodName } from '../../../src/core/vault-service.js'
import type { ItemDraft, VaultStore } from '../../../src/index.js'
import { canaryDraft } from '../../../src/testing/hostile/items.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../bytes.js'

/** The activity log contains this origin, so it does not contain the marker. */
const origin = 'https://origin.example'

/** Returns a draft with the marker in every value, and with a URL of the origin. */
function markedDraft(marker: string, vaultId: string): ItemDraft {
  const draft = canaryDraft(marker, vaultId)
  return { ...draft, urls: [...(draft.urls ?? []), { href: origin }] }
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

/** Returns the calls, with the marker in every input, on a marked vault. */
export function createMarkedCalls(
  marker: string,
  { service, caller, vaultId, item }: TestVault,
  who = caller,
): MarkedCalls {
  const ref = { vaultId, itemId: item.id }
  const file = { ...ref, fileId: item.files.at(-1)?.id ?? '' }
  const patch = [{ op: 'add', path: '/title', value: marker }] as const
  const draft = markedDraft(marker, vaultId)
  return {
    createVault: () => service.createVault(who, { name: marker, description: marker }),
    listVaults: () =>
      service.listVaults(who, { filter: `title eq "Test" or title co "${marker}"` }),
    getVault: () => service.getVault(who, { vaultId }),
    updateVault: () => service.updateVault(who, { vaultId, name: marker, description: marker }),
    createItem: () => service.createItem(who, { vaultId, item: draft }),
    listItems: () => service.listItems(who, { vaultId }),
    getItem: () => service.getItem(who, ref),
    getField: () => service.getField(who, { ...ref, field: item.fields[0]?.id ?? '' }),
    useField: () =>
      service.useField(who, {
        ...ref,
        field: item.fields[0]?.id ?? '',
        use: { origin, method: 'GET' },
      }),
    describeItem: () => service.describeItem(who, ref),
    getItems: () => service.getItems(who, { vaultId, itemIds: [item.id] }),
    replaceItem: () => service.replaceItem(who, { ...ref, item: draft }),
    patchItem: () => service.patchItem(who, { ...ref, patch }),
    regenerateField: () =>
      service.regenerateField(who, {
        ...ref,
        fieldId: 'made',
        recipe: { excludeCharacters: marker },
      }),
    attachFile: () => service.attachFile(who, { ...ref, name: marker, content: utf8(marker) }),
    listFiles: () => service.listFiles(who, { ...ref, inlineFiles: true }),
    getFileDetails: () => service.getFileDetails(who, { ...file, inlineFiles: true }),
    readFileContent: async () =>
      new Response((await service.readFileContent(who, file)).content).text(),
    listVersions: () => service.listVersions(who, ref),
    getVersion: () => service.getVersion(who, { ...ref, version: item.version }),
    restoreVersion: () => service.restoreVersion(who, { ...ref, version: item.version }),
    collectGarbage: () => service.collectGarbage(who, { vaultId }),
    setItemState: () => service.setItemState(who, { ...ref, state: 'ARCHIVED' }),
    removeFile: () => service.removeFile(who, file),
    deleteItem: () => service.deleteItem(who, ref),
    deleteVault: () => service.deleteVault(who, { vaultId }),
  }
}
