/** An input for every operation of the service that succeeds on a test vault. */

import type { OperationName } from '../../../src/index.js'
import { noteDraft, type TestVault } from '../../../src/testing.js'
import { filePlace, itemPlace } from './refs.js'

/** What a test vault is, as far as inputs name things of it. */
type Named = Pick<TestVault, 'vaultId' | 'item' | 'smallFile'>

/** The inputs, by the operations. */
export function vaultInputs(vault: Named): Readonly<Record<OperationName, object>> {
  const { vaultId } = vault
  const [place, file] = [itemPlace(vault), filePlace(vault)]
  return {
    listVaults: {},
    createVault: { name: 'New' },
    getVault: { vaultId },
    updateVault: { vaultId, name: 'Renamed' },
    deleteVault: { vaultId },
    listItems: { vaultId },
    createItem: { vaultId, item: noteDraft(vaultId) },
    getItem: place,
    getItems: { vaultId, itemIds: [vault.item.id] },
    replaceItem: { ...place, item: noteDraft(vaultId) },
    patchItem: { ...place, patch: [{ op: 'replace', path: '/title', value: 'Patched' }] },
    deleteItem: place,
    setItemState: { ...place, state: 'ARCHIVED' },
    attachFile: { ...place, name: 'new.bin', content: Uint8Array.of(1) },
    removeFile: file,
    listFiles: place,
    getFileDetails: file,
    readFileContent: file,
    listVersions: place,
    getVersion: { ...place, version: vault.item.version },
    restoreVersion: { ...place, version: vault.item.version },
    collectGarbage: { vaultId },
    listActivity: {},
  }
}
