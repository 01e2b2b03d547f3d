/** The same job by hand on Hono, served by its own server for Node. */

import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { answerTo, createVault, etag, requireToken } from './vault-by-hand.mjs'

const items = '/v1/vaults/:vaultId/items'

export async function startServer(count) {
  const vault = createVault(count)
  const app = new Hono()
  app.use(async (c, next) => {
    requireToken(c.req.header('authorization'))
    await next()
  })
  app.onError((error, c) => {
    const body = answerTo(error)
    return c.json(body, body.status)
  })
  const tagged = (c, item) => c.json(item, 200, { etag: etag(item) })
  app.post(items, async (c) =>
    tagged(c, vault.createItem(c.req.param('vaultId'), await c.req.json())),
  )
  app.put(`${items}/:itemId`, async (c) => {
    const { vaultId, itemId } = c.req.param()
    return tagged(c, vault.replaceItem(vaultId, itemId, await c.req.json()))
  })
  app.patch(`${items}/:itemId`, async (c) => {
    const { vaultId, itemId } = c.req.param()
    return tagged(c, vault.patchItem(vaultId, itemId, await c.req.json()))
  })
  app.get(`${items}/:itemId/files/:fileId`, (c) => {
    const { vaultId, itemId, fileId } = c.req.param()
    return c.json(vault.getFileDetails(vaultId, itemId, fileId))
  })
  return { server: createAdaptorServer({ fetch: app.fetch }), places: vault.places }
}
