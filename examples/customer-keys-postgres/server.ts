/** The settings of a customer: their keys, and who used them. */

import { createCaller } from 'cofferkit'
import { createCredentialHandler } from 'cofferkit/credentials'
import { createExpressHandler } from 'cofferkit/express'
import express from 'express'
import { credentials, findVault, service, signUp } from './keys.ts'

if ((await findVault('acme')) === undefined) await signUp('acme')

/** Your login goes here. It returns the caller for who is logged in. */
async function logIn() {
  const vaultId = (await findVault('acme')) ?? ''
  return createCaller({ id: 'acme', vaults: { [vaultId]: 'read-write' } })
}

const app = express()
const settings = createCredentialHandler(credentials, {
  authenticate: logIn,
  vaultOf: async ({ id }) => (await findVault(id)) ?? '',
})
app.use('/api', createExpressHandler(settings))

app.get('/activity', async (_request, response) => {
  const vaultId = (await findVault('acme')) ?? ''
  const query = { vaultId, limit: 2 }
  const { entries } = await service.listActivity(await logIn(), query)
  const shown = entries.map(({ timestamp, actor, result, use }) => {
    return { at: timestamp, who: actor.id, result, host: use?.origin }
  })
  response.json(shown)
})

const port = Number(process.env['PORT'] ?? 3000)
app.listen(port, '127.0.0.1', () => console.log(`http://localhost:${port}`))
