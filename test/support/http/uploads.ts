/** Uploads to a test vault over a socket, and assertions that nothing of one was stored. */

import { expect } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpHandlerOptions } from '../../../src/http.js'
import type { FileDetails, VaultStore } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { readBytes } from '../bytes.js'
import { readRecords, trackBlobs } from '../stores/stores.js'
import { createTestVault } from './checked-handlers.js'
import { itemUrl } from './requests.js'
import { type Mount, withListener } from './serve.js'

/** A test vault with the extensions enabled. */
export interface UploadVault extends TestVault {
  /** Returns the URL of an upload. */
  url(query?: string): string
  readonly authorization: string
  /** Fails if the store changed since its creation. */
  expectNothingStored(): Promise<void>
  contentOf(file: FileDetails): Promise<Uint8Array>
}

/** Creates a vault, on a memory store by default. */
export async function createUploadVault(
  options: Partial<HttpHandlerOptions> = {},
  inner?: VaultStore,
): Promise<UploadVault> {
  const store = trackBlobs(inner)
  const vault = await createTestVault({ store }, { extensions: true, ...options })
  const all = async () => [await readRecords(store, vault.vaultId), [...store.blobIds]]
  const before = await all()
  return {
    ...vault,
    url: (query = 'name=a.bin') => itemUrl(vault, `/files?${query}`),
    authorization: `Bearer ${vault.tokens.full}`,
    async expectNothingStored(): Promise<void> {
      expect(await all()).toEqual(before)
    },
    async contentOf({ id }: FileDetails): Promise<Uint8Array> {
      const { vaultId, item, caller, service } = vault
      const ref = { vaultId, itemId: item.id, fileId: id }
      return readBytes((await service.readFileContent(caller, ref)).content)
    },
  }
}
/** Uploads a file over a socket; returns the status and the file. */
export async function upload(
  vault: UploadVault,
  body: BodyInit | Uint8Array | null,
  { query = 'name=a.bin', headers = {}, mounting = createNodeListener as Mount } = {},
): Promise<{ status: number; file: FileDetails & { message?: string } }> {
  return withListener(mounting(vault.handler), async (origin) => {
    const response = await fetch(origin + vault.url(query), {
      method: 'POST',
      headers: { authorization: vault.authorization, ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit)
    return { status: response.status, file: (await response.json()) as FileDetails }
  })
}
