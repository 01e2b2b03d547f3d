/** A valid input for every operation of the service, on a test vault. */

import type { MethodName } from '../../../src/index.js'
import { noteDraft, type TestVault } from '../../../src/testing.js'
import { fileRef, itemRef } from './refs.js'

/** A request to the origin of the item of a test vault. */
export const exampleUse = { origin: 'https://example.com', method: 'POST' } as const

/** The parts of a test vault that inputs refer to. */
type Named = Pick<TestVault, 'vaultId' | 'item' | 'smallFile'>

/** Returns the inputs by operation. */
export function vaultInputs(vault: Named): Readonly<Record<MethodName, object>> {
  const { vaultId } = vault
  const [ref, file] = [itemRef(vault), fileRef(vault)]
  return {
    listVaults: {},
    createVault: { name: 'New' },
    getVault: { vaultId },
    updateVault: { vaultId, name: 'Renamed' },
    deleteVault: { vaultId },
    listItems: { vaultId },
    createItem: { vaultId, item: noteDraft(vaultId) },
    getItem: ref,
    getField: { ...ref, field: 'password' },
    useField: { ...ref, field: 'password', use: exampleUse },
    describeItem: ref,
    getItems: { vaultId, itemIds: [vault.item.id] },
    replaceItem: { ...ref, item: noteDraft(vaultId) },
    patchItem: { ...ref, patch: [{ op: 'replace', path: '/title', value: 'Patched' }] },
    regenerateField: { ...ref, fieldId: 'password' },
    deleteItem: ref,
    setItemState: { ...ref, state: 'ARCHIVED' },
    attachFile: { ...ref, name: 'new.bin', content: Uint8Array.of(1) },
    removeFile: file,
    listFiles: ref,
    getFileDetails: file,
    readFileContent: file,
    listVersions: ref,
    getVersion: { ...ref, version: vault.item.version },
    restoreVersion: { ...ref, version: vault.item.version },
    collectGarbage: { vaultId },
    listActivity: {},
  }
}
