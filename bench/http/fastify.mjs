/** The same job by hand on Fastify. */

import fastify from 'fastify'
import { answerTo, createVault, etag, requireToken } from './vault-by-hand.mjs'

const items = '/v1/vaults/:vaultId/items'

export async function startServer(count) {
  const vault = createVault(count)
  const app = fastify()
  app.addHook('onRequest', async (request) => requireToken(request.headers.authorization))
  app.setErrorHandler((error, _request, reply) => {
    const body = answerTo(error)
    reply.code(body.status).send(body)
  })
  const tagged = (reply, item) => reply.header('etag', etag(item)).send(item)
  app.post(items, ({ params, body }, reply) =>
    tagged(reply, vault.createItem(params.vaultId, body)),
  )
  app.put(`${items}/:itemId`, ({ params, body }, reply) =>
    tagged(reply, vault.replaceItem(params.vaultId, params.itemId, body)),
  )
  app.patch(`${items}/:itemId`, ({ params, body }, reply) =>
    tagged(reply, vault.patchItem(params.vaultId, params.itemId, body)),
  )
  app.get(`${items}/:itemId/files/:fileId`, ({ params }, reply) =>
    reply.send(vault.getFileDetails(params.vaultId, params.itemId, params.fileId)),
  )
  await app.ready()
  return { server: app.server, places: vault.places }
}
