/** Mounts a vault in an Express app with its own login, in front of the app's body parser. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { type Caller, createCaller, createVaultService } from 'cofferkit'
import { createExpressHandler } from 'cofferkit/express'
import { createHttpHandler, type HttpRequest } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import express from 'express'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const vault = await service.createVault(
  createCaller({ id: 'setup', vaults: '*' }),
  {
    name: 'Team',
  },
)

// Add this before the existing app: logged-in users can access the vault of the team.
const app = express()
const sessions = new Map<string, string>()
function loggedIn(request: HttpRequest): Caller | undefined {
  const session = /(?:^|; )session=([\da-f-]{36})/.exec(
    request.header('cookie') ?? '',
  )?.[1]
  const name = session && sessions.get(session)
  return name
    ? createCaller({ id: name, vaults: { [vault.id]: 'read-write' } })
    : undefined
}
const api = createHttpHandler(service, { authenticate: loggedIn })
app.use('/secrets', createExpressHandler(api))

// The existing app: a body parser, and a login that stores a session in a cookie. This login
// accepts every name.
app.use(express.json({ limit: '1mb' }))
app.post('/login', (req, res) => {
  const session = randomUUID()
  sessions.set(session, String(req.body.name))
  res
    .cookie('session', session, {
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
    })
    .sendStatus(204)
})

// A client: first without a session, then logged in.
const server = createServer(app)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
const items = `${origin}/secrets/v1/vaults/${vault.id}/items`
const post = (url: string, body: unknown, cookie = ''): Promise<Response> => {
  const headers = { 'content-type': 'application/json', cookie }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
}
const item = {
  category: 'SECURE_NOTE',
  vault: { id: vault.id },
  title: 'Door code',
}

console.log('not logged in:', (await post(items, item)).status)
const login = await post(`${origin}/login`, { name: 'wendy' })
const cookie = login.headers
  .getSetCookie()
  .map((line) => line.split(';')[0])
  .join('; ')
const created = await post(items, item, cookie)
const { lastEditedBy } = await created.json()
console.log('logged in:', created.status, 'as', lastEditedBy)
server.close()
