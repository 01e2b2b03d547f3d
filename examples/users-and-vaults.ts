/** Users with private and shared vaults. Who belongs to which vault is in the app's own database. */

import { DatabaseSync } from 'node:sqlite'
import { type Caller, createVaultService } from 'cofferkit'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import express from 'express'
import session from 'express-session'

declare module 'express-session' {
  interface SessionData {
    userId: string
  }
}

// The app's own database.
const database = new DatabaseSync(':memory:')
database.exec(`CREATE TABLE members (
  vault_id TEXT NOT NULL, user_id TEXT NOT NULL, role TEXT NOT NULL,
  PRIMARY KEY (vault_id, user_id))`)
const addMember = database.prepare('INSERT INTO members VALUES (?, ?, ?)')
const findRole = database.prepare(
  'SELECT role FROM members WHERE vault_id = ? AND user_id = ?',
)
const listVaultIds = database.prepare(
  'SELECT vault_id FROM members WHERE user_id = ?',
)
const removeMembers = database.prepare('DELETE FROM members WHERE vault_id = ?')

/** Every user can create vaults, an owner can do everything in a vault, a reader can read it. */
function callerOf(userId: string): Caller {
  return {
    id: userId,
    can(permission, vaultId, operation) {
      // Not with an id of the caller's choice, because `beforeCreateVault` is not called then.
      if (operation === 'createVault') return permission === 'create'
      const role = findRole.get(vaultId, userId)?.['role']
      return role === 'owner' || (role === 'reader' && permission === 'read')
    },
    // For lists: one query instead of one for each vault.
    filterVaults: () =>
      listVaultIds.all(userId).map((row) => String(row['vault_id'])),
  }
}

const service = createVaultService({
  store: createMemoryStore(),
  strict: true,
  // Before the vault is stored: when it appears, it has an owner.
  beforeCreateVault: ({ id }, creator) =>
    void addMember.run(id, creator.id, 'owner'),
})
service.on('vault.deleted', ({ vaultId }) => removeMembers.run(vaultId))

const app = express()
app.use(
  session({ secret: 'change me', resave: false, saveUninitialized: false }),
)
const authenticate = fromExpress(
  (req) => req.session.userId !== undefined && callerOf(req.session.userId),
)
const api = createHttpHandler(service, { authenticate, extensions: true })
app.use('/secrets', createExpressHandler(api))

// The app's own routes: a login that accepts every name, and sharing.
app.use(express.json())
app.post('/login', (req, res) => {
  req.session.userId = String(req.body.name)
  res.sendStatus(204)
})
app.post('/vaults/:vaultId/readers', async (req, res) => {
  const { vaultId } = req.params
  const isOwner = await callerOf(req.session.userId ?? '').can('write', vaultId)
  if (isOwner) addMember.run(vaultId, String(req.body.name), 'reader')
  res.sendStatus(isOwner ? 204 : 403)
})

// Two users.
const server = app.listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

async function logIn(name: string) {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const send = (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Response> =>
    fetch(origin + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const response = await send('POST', '/login', { name })
  headers['cookie'] = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return send
}

const [wendy, carl] = [await logIn('wendy'), await logIn('carl')]
const vaults = '/secrets/v1/vaults'
const privateVault = await (
  await wendy('POST', vaults, { name: 'Private' })
).json()
const familyVault = await (
  await wendy('POST', vaults, { name: 'Family' })
).json()
const item = {
  category: 'SECURE_NOTE',
  vault: { id: familyVault.id },
  title: 'Door code',
}
const created = await wendy('POST', `${vaults}/${familyVault.id}/items`, item)
console.log('wendy creates two vaults, and an item:', created.status)
await wendy('POST', `/vaults/${familyVault.id}/readers`, { name: 'carl' })

const listed = await (await carl('GET', vaults)).json()
console.log(
  'carl sees:',
  listed.map(({ name }: { name: string }) => name).join(),
)
const changed = await carl('POST', `${vaults}/${familyVault.id}/items`, item)
console.log(
  'carl adds an item:',
  changed.status,
  (await changed.json()).message.slice(-11),
)
console.log(
  'carl opens the private vault:',
  (await carl('GET', `${vaults}/${privateVault.id}`)).status,
)
await wendy('DELETE', `${vaults}/${familyVault.id}`)
console.log('members left:', listVaultIds.all('carl').length)
const again = await wendy('PUT', `${vaults}/${'w'.repeat(26)}`, {
  name: 'Family',
})
console.log('wendy creates a vault with an id of her choice:', again.status)
server.close()
