/** The same job by hand on Fastify. */

import fastify, { type FastifyReply } from 'fastify'
import type { StoredItem } from '../building-blocks.js'
import { etag, requireToken, toErrorBody } from './handwritten-vault.js'
import type { CreatedServer, ServerOptions } from './server-process.js'
import { createMemoryVault } from './storage/memory.js'

interface ItemRoute {
  Params: { vaultId: string; itemId: string }
}

interface FileRoute {
  Params: { vaultId: string; itemId: string; fileId: string }
}

const items = '/v1/vaults/:vaultId/items'

/** Creates the server. */
export async function createServer({ count }: ServerOptions): Promise<CreatedServer> {
  const vault = createMemoryVault(count)
  const app = fastify()
  app.addHook('onRequest', async (request) => requireToken(request.headers.authorization))
  app.setErrorHandler((error, _request, reply) => {
    const body = toErrorBody(error)
    reply.code(body.status).send(body)
  })
  const send = (reply: FastifyReply, item: StoredItem) =>
    reply.header('etag', etag(item)).send(item)
  app.post<{ Params: { vaultId: string } }>(items, ({ params, body }, reply) =>
    send(reply, vault.createItem(params.vaultId, body)),
  )
  app.put<ItemRoute>(`${items}/:itemId`, ({ params, body }, reply) =>
    send(reply, vault.replaceItem(params.vaultId, params.itemId, body)),
  )
  app.patch<ItemRoute>(`${items}/:itemId`, ({ params, body }, reply) =>
    send(reply, vault.patchItem(params.vaultId, params.itemId, body)),
  )
  app.get<ItemRoute>(`${items}/:itemId`, ({ params }, reply) =>
    send(reply, vault.getItem(params.vaultId, params.itemId)),
  )
  app.get<{ Params: { vaultId: string } }>(items, ({ params }, reply) =>
    reply.send(vault.listItems(params.vaultId)),
  )
  app.get<FileRoute>(`${items}/:itemId/files/:fileId`, ({ params }, reply) =>
    reply.send(vault.getFile(params.vaultId, params.itemId, params.fileId)),
  )
  await app.ready()
  return { server: app.server, itemIds: vault.itemIds }
}
