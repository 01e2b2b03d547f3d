/** A call of every operation of the service, with something to do on the fixture. */

import type { VaultService } from 'cofferkit'
import { itemDraft } from 'cofferkit/testing'
import type { Fixture } from './fixture.js'

/** A call of one operation. */
export interface OperationCall {
  readonly name: string
  /** True if each run can raise the item's version without another change. */
  readonly raisesVersion?: true
  run(service: VaultService, fixture: Fixture): Promise<unknown>
}

const patch = [{ op: 'replace', path: '/fields/pin/value', value: '4321' }] as const

/** All calls. */
export const operationCalls: readonly OperationCall[] = [
  {
    name: 'createVault',
    run: (service, { caller }) =>
      service.createVault(caller, { name: 'New', vaultId: 'n'.repeat(26) }),
  },
  {
    name: 'getVault',
    run: (service, { caller, vaultId }) => service.getVault(caller, { vaultId }),
  },
  {
    name: 'createItem',
    run: (service, { caller, vaultId }) =>
      service.createItem(caller, { vaultId, item: itemDraft('SECURE_NOTE') }),
  },
  {
    name: 'getItem',
    run: (service, { caller, vaultId, itemId }) => service.getItem(caller, { vaultId, itemId }),
  },
  {
    name: 'listItems',
    run: (service, { caller, vaultId }) => service.listItems(caller, { vaultId }),
  },
  {
    name: 'replaceItem',
    run: (service, { caller, vaultId, itemId }) =>
      service.replaceItem(caller, {
        vaultId,
        itemId,
        item: { ...itemDraft('LOGIN', { title: 'Replaced' }), vault: { id: vaultId } },
      }),
  },
  {
    name: 'patchItem',
    run: (service, { caller, vaultId, itemId }) =>
      service.patchItem(caller, { vaultId, itemId, patch }),
  },
  {
    name: 'patchItem with ifVersion',
    run: (service, { caller, vaultId, itemId }) =>
      service.patchItem(caller, { vaultId, itemId, patch, ifVersion: 5 }),
  },
  {
    name: 'patchItem with an empty patch',
    run: (service, { caller, vaultId, itemId }) =>
      service.patchItem(caller, { vaultId, itemId, patch: [] }),
  },
  {
    name: 'deleteItem',
    run: (service, { caller, vaultId, itemId }) => service.deleteItem(caller, { vaultId, itemId }),
  },
  {
    name: 'deleteItem with ifVersion',
    run: (service, { caller, vaultId, itemId }) =>
      service.deleteItem(caller, { vaultId, itemId, ifVersion: 5 }),
  },
  {
    name: 'attachFile',
    run: (service, { caller, vaultId, itemId }) => {
      const content = new Blob(['a new ', 'file']).stream()
      return service.attachFile(caller, { vaultId, itemId, name: 'new.bin', content })
    },
  },
  {
    name: 'removeFile',
    run: (service, { caller, vaultId, itemId, smallFileId: fileId }) =>
      service.removeFile(caller, { vaultId, itemId, fileId }),
  },
  {
    name: 'getFileDetails',
    run: (service, { caller, vaultId, itemId, largeFileId: fileId }) =>
      service.getFileDetails(caller, { vaultId, itemId, fileId }),
  },
  {
    name: 'getFileDetails with its content',
    run: (service, { caller, vaultId, itemId, smallFileId: fileId }) =>
      service.getFileDetails(caller, { vaultId, itemId, fileId, inlineFiles: true }),
  },
  {
    name: 'readFileContent',
    async run(service, { caller, vaultId, itemId, largeFileId: fileId }) {
      const found = await service.readFileContent(caller, { vaultId, itemId, fileId })
      return { ...found, content: await new Response(found.content).text() }
    },
  },
  {
    name: 'listVersions',
    run: (service, { caller, vaultId, itemId }) =>
      service.listVersions(caller, { vaultId, itemId }),
  },
  {
    name: 'getVersion',
    run: (service, { caller, vaultId, itemId }) =>
      service.getVersion(caller, { vaultId, itemId, version: 3 }),
  },
  {
    name: 'restoreVersion',
    run: (service, { caller, vaultId, itemId }) =>
      service.restoreVersion(caller, { vaultId, itemId, version: 3 }),
  },
  {
    name: 'collectGarbage',
    raisesVersion: true,
    run: (service, { caller, vaultId }) => service.collectGarbage(caller, { vaultId }),
  },
]
