import { createServer } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import { createHttpHandler } from 'cofferkit/http'
import { createNodeListener } from 'cofferkit/node'
import { openSqliteStore } from 'cofferkit/sqlite'

const service = createVaultService({ store: await openSqliteStore('vault.db') })
const wendy = createCaller('wendy', '*') // in your service: the user of your login
const [vault] = await service.listVaults(wendy, {})
const { id } = vault ?? (await service.createVault(wendy, { name: 'Team' }))

const api = createHttpHandler(service, { authenticate: () => wendy })
const port = Number(process.env['PORT'] ?? 8080)
createServer(createNodeListener(api)).listen(port, '127.0.0.1', () => {
  const item = { vault: { id }, category: 'LOGIN', fields: [{ id: 'password', generate: true }] }
  const url = `http://localhost:${port}/v1/vaults/${id}/items`
  console.log(`curl ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(item)}'`)
})
