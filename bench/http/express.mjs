/** The same job by hand on Express. Its own ETag, a hash of every answer, is off: the version is the tag. */

import express from 'express'
import { answerTo, createVault, etag, requireToken } from './vault-by-hand.mjs'

const items = '/v1/vaults/:vaultId/items'

export async function startServer(count) {
  const vault = createVault(count)
  const app = express().disable('x-powered-by').disable('etag')
  app.use((req, _res, next) => {
    requireToken(req.headers.authorization)
    next()
  })
  app.use(express.json({ limit: '1mb' }))
  const tagged = (res, item) => res.set('ETag', etag(item)).json(item)
  app.post(items, ({ params, body }, res) => tagged(res, vault.createItem(params.vaultId, body)))
  app.put(`${items}/:itemId`, ({ params, body }, res) =>
    tagged(res, vault.replaceItem(params.vaultId, params.itemId, body)),
  )
  app.patch(`${items}/:itemId`, ({ params, body }, res) =>
    tagged(res, vault.patchItem(params.vaultId, params.itemId, body)),
  )
  app.get(`${items}/:itemId/files/:fileId`, ({ params }, res) =>
    res.json(vault.getFileDetails(params.vaultId, params.itemId, params.fileId)),
  )
  app.use((error, _req, res, _next) => {
    const body = answerTo(error)
    res.status(body.status).json(body)
  })
  return { listener: app, places: vault.places }
}
