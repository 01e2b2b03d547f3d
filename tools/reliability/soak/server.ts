/** The server process of the check `soak`. It sends its memory on request. */

import { createServer } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'

/** The memory of the process after a garbage collection. */
export interface MemoryReport {
  /** Of the heap, of buffers and of other memory outside the heap. */
  readonly bytes: number
  /** Number of timers, sockets and similar resources. */
  readonly handles: number
}

/** The port of the server and the ids of its data. */
export interface Started {
  readonly port: number
  readonly vaultId: string
  readonly itemId: string
  readonly fileId: string
}

const isLeaking = process.argv[2] === 'leaking'
const leaked: unknown[] = []
const vaultId = 'v'.repeat(26)
const service = createVaultService({
  store: createMemoryStore(),
  activity: createMemoryActivityLog({ maxEntries: 1000 }),
  history: { maxVersions: 3 },
})
const admin = createCaller({ id: 'admin', vaults: '*' })
await service.createVault(admin, { vaultId, name: 'Soaked' })
const fields = [{ id: 'password', type: 'CONCEALED', value: 'correct horse' }] as const
const item = { category: 'LOGIN', vault: { id: vaultId }, title: 'Mail', fields } as const
const { id: itemId } = await service.createItem(admin, { vaultId, item })
const content = new Uint8Array(2000)
const { id: fileId } = await service.attachFile(admin, { vaultId, itemId, name: 'a', content })

const tokens = [{ id: 'soak', sha256: await hashToken('t'.repeat(32)), vaults: '*' as const }]
const api = createHttpHandler(service, {
  authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
  extensions: true,
})
const server = createServer(
  createNodeListener((request) => {
    if (isLeaking) leaked.push(`${request.url}${leaked.length}`.repeat(2))
    return api(request)
  }),
)
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.send?.({ port, vaultId, itemId, fileId } satisfies Started)
})

process.on('message', () => {
  globalThis.gc?.()
  setImmediate(() => {
    globalThis.gc?.()
    const { heapUsed, external, arrayBuffers } = process.memoryUsage()
    const handles = process.getActiveResourcesInfo().length
    process.send?.({ bytes: heapUsed + external + arrayBuffers, handles } satisfies MemoryReport)
  })
})
