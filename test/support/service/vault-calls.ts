/**
 * Every operation of the service as a call that succeeds on a test vault, and as one with an
 * invalid body.
 */

import type {
  Caller,
  ItemDraft,
  PatchOperation,
  Permission,
  VaultService,
} from '../../../src/index.js'
import { noteDraft } from '../../../src/testing.js'
import { exampleUse } from '../items/vault-inputs.js'

/** The ids that a call refers to. */
export interface CallRef {
  readonly vaultId: string
  readonly itemId: string
  readonly fileId: string
}

/** One operation. */
export interface VaultCall {
  readonly name: keyof VaultService
  readonly needs: readonly Permission[]
  /** The smallest resource in its input. */
  readonly names: 'vault' | 'item' | 'file'
  run(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
  /** A call with an invalid body; absent for operations without a body. */
  runBadBody?(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
}

const badDraft = (vaultId: string): ItemDraft => ({
  ...noteDraft(vaultId),
  category: 'NONSENSE' as 'LOGIN',
})
const badPatch = [{ op: 'move' as 'add', path: '/title', value: 'x' }]
const patch: readonly PatchOperation[] = [{ op: 'replace', path: '/title', value: 'Patched' }]
const content = Uint8Array.of(1, 2, 3)

/** The operations on existing resources; all except `createVault`. */
export const vaultCalls: readonly VaultCall[] = [
  {
    name: 'getVault',
    needs: ['read'],
    names: 'vault',
    run: (service, caller, { vaultId }) => service.getVault(caller, { vaultId }),
  },
  {
    name: 'updateVault',
    needs: ['read', 'write'],
    names: 'vault',
    run: (service, caller, { vaultId }) => service.updateVault(caller, { vaultId, name: 'New' }),
    runBadBody: (service, caller, { vaultId }) =>
      service.updateVault(caller, { vaultId, name: '' }),
  },
  {
    name: 'deleteVault',
    needs: ['write'],
    names: 'vault',
    run: (service, caller, { vaultId }) => service.deleteVault(caller, { vaultId }),
  },
  {
    name: 'listItems',
    needs: ['read'],
    names: 'vault',
    run: (service, caller, { vaultId }) => service.listItems(caller, { vaultId }),
    runBadBody: (service, caller, { vaultId }) =>
      service.listItems(caller, { vaultId, filter: 'is' }),
  },
  {
    name: 'createItem',
    needs: ['write'],
    names: 'vault',
    run: (service, caller, { vaultId }) =>
      service.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
    runBadBody: (service, caller, { vaultId }) =>
      service.createItem(caller, { vaultId, item: badDraft(vaultId) }),
  },
  {
    name: 'getItem',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) => service.getItem(caller, { vaultId, itemId }),
  },
  {
    name: 'getField',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.getField(caller, { vaultId, itemId, field: 'password' }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.getField(caller, { vaultId, itemId, field: 7 as never }),
  },
  {
    name: 'useField',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.useField(caller, { vaultId, itemId, field: 'password', use: exampleUse }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.useField(caller, {
        ...{ vaultId, itemId, field: 'password' },
        use: { ...exampleUse, origin: 'example.com' },
      }),
  },
  {
    name: 'describeItem',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.describeItem(caller, { vaultId, itemId }),
  },
  {
    name: 'getItems',
    needs: ['read'],
    names: 'vault',
    run: (service, caller, { vaultId, itemId }) =>
      service.getItems(caller, { vaultId, itemIds: [itemId] }),
    runBadBody: (service, caller, { vaultId }) =>
      service.getItems(caller, { vaultId, itemIds: [] }),
  },
  {
    name: 'setItemState',
    needs: ['read', 'write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.setItemState(caller, { vaultId, itemId, state: 'GONE' as 'DELETED' }),
  },
  {
    name: 'replaceItem',
    needs: ['read', 'write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.replaceItem(caller, { vaultId, itemId, item: noteDraft(vaultId) }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.replaceItem(caller, { vaultId, itemId, item: badDraft(vaultId) }),
  },
  {
    name: 'patchItem',
    needs: ['read', 'write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.patchItem(caller, { vaultId, itemId, patch }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.patchItem(caller, { vaultId, itemId, patch: badPatch }),
  },
  {
    name: 'regenerateField',
    needs: ['read', 'write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.regenerateField(caller, { vaultId, itemId, fieldId: 'password' }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.regenerateField(caller, {
        vaultId,
        itemId,
        fieldId: 'password',
        recipe: { length: 0 },
      }),
  },
  {
    name: 'deleteItem',
    needs: ['write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) => service.deleteItem(caller, { vaultId, itemId }),
  },
  {
    name: 'attachFile',
    needs: ['write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.attachFile(caller, { vaultId, itemId, name: 'new.bin', content }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.attachFile(caller, { vaultId, itemId, name: '', content }),
  },
  {
    name: 'removeFile',
    needs: ['write'],
    names: 'file',
    run: (service, caller, { vaultId, itemId, fileId }) =>
      service.removeFile(caller, { vaultId, itemId, fileId }),
  },
  {
    name: 'listFiles',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.listFiles(caller, { vaultId, itemId, inlineFiles: true }),
  },
  {
    name: 'getFileDetails',
    needs: ['read'],
    names: 'file',
    run: (service, caller, { vaultId, itemId, fileId }) =>
      service.getFileDetails(caller, { vaultId, itemId, fileId, inlineFiles: true }),
  },
  {
    name: 'readFileContent',
    needs: ['read'],
    names: 'file',
    run: async (service, caller, { vaultId, itemId, fileId }) => {
      const { content: stream, ...rest } = await service.readFileContent(caller, {
        vaultId,
        itemId,
        fileId,
      })
      return { ...rest, bytes: await new Response(stream).text() }
    },
  },
  {
    name: 'listVersions',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.listVersions(caller, { vaultId, itemId }),
  },
  {
    name: 'getVersion',
    needs: ['read'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.getVersion(caller, { vaultId, itemId, version: 3 }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.getVersion(caller, { vaultId, itemId, version: 0 }),
  },
  {
    name: 'restoreVersion',
    needs: ['read', 'write'],
    names: 'item',
    run: (service, caller, { vaultId, itemId }) =>
      service.restoreVersion(caller, { vaultId, itemId, version: 3 }),
    runBadBody: (service, caller, { vaultId, itemId }) =>
      service.restoreVersion(caller, { vaultId, itemId, version: 0 }),
  },
  {
    name: 'collectGarbage',
    needs: ['write'],
    names: 'vault',
    run: (service, caller, { vaultId }) => service.collectGarbage(caller, { vaultId }),
    runBadBody: (service, caller, { vaultId }) =>
      service.collectGarbage(caller, { vaultId, minAgeMs: 0 }),
  },
]

/** The operations with an input that a schema parses. */
export const callsWithBody: readonly Required<VaultCall>[] = vaultCalls.filter(
  (call): call is Required<VaultCall> => call.runBadBody !== undefined,
)

/** Valid ids of resources that do not exist. */
export const missingRef: CallRef = {
  vaultId: 'a'.repeat(26),
  itemId: 'b'.repeat(26),
  fileId: 'c'.repeat(26),
}
