/** The routes: the vaults behind the login of the app. */

import { randomUUID } from 'node:crypto'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createHttpHandler } from 'cofferkit/http'
import express, { type Request } from 'express'
import session from 'express-session'
import { listAccesses } from './audit.ts'
import { callerOf } from './permissions.ts'
import { addUser, findLogin, findUser, type User } from './users.ts'
import { createTenantVault, service } from './vault.ts'

declare module 'express-session' {
  interface SessionData {
    userId: string
  }
}

export const app = express()
const secret = process.env['SESSION_SECRET'] ?? randomUUID()
const cookie = { httpOnly: true, sameSite: 'lax', secure: 'auto' } as const
app.use(session({ secret, resave: false, saveUninitialized: false, cookie }))

// The vaults, before any parser of bodies.
const authenticate = fromExpress(async ({ session: { userId } }) => {
  const user = await findUser(userId)
  return user && callerOf(user)
})
const api = createHttpHandler(service, {
  authenticate,
  probes: { metrics: false },
  onError: (error, { method, url }) =>
    console.error(method, url.split('?')[0], error),
})
app.use('/secrets', createExpressHandler(api))

// The routes of the app.
app.use(express.json())
const areTexts = (...values: unknown[]) =>
  values.every((value) => typeof value === 'string' && value !== '')

app.post('/sign-up', async (req, res) => {
  const { tenant, email, password } = req.body ?? {}
  if (!areTexts(tenant, email, password)) return void res.sendStatus(400)
  const created = { tenantId: randomUUID(), tenantName: tenant }
  const id = await addUser(created, email, password, 'admin')
  if (id === undefined) return void res.sendStatus(409)
  await logIn(req, await findUser(id))
  res.sendStatus(204)
})

app.post('/login', async (req, res) => {
  const { email, password } = req.body ?? {}
  if (!areTexts(email, password)) return void res.sendStatus(400)
  const user = await findLogin(email, password)
  if (user === undefined) return void res.sendStatus(401)
  await logIn(req, user)
  res.sendStatus(204)
})

app.post('/users', async (req, res) => {
  const user = await findUser(req.session.userId)
  if (user?.role !== 'admin') return void res.sendStatus(user ? 403 : 401)
  const { email, password, role } = req.body ?? {}
  const isRole = ['admin', 'member', 'auditor'].includes(role)
  if (!areTexts(email, password) || !isRole) return void res.sendStatus(400)
  res.sendStatus((await addUser(user, email, password, role)) ? 204 : 409)
})

app.get('/audit', async (req, res) => {
  const user = await findUser(req.session.userId)
  if (user === undefined) return void res.sendStatus(401)
  if (user.role === 'member') return void res.sendStatus(403)
  res.json(await listAccesses(user))
})

/** Creates the vault as well, if the sign-up could not create it. */
async function logIn(req: Request, user: User | undefined): Promise<void> {
  if (user === undefined) throw new Error('the user does not exist')
  await createTenantVault(user)
  await new Promise<void>((resolve, reject) => {
    req.session.regenerate((error) => (error ? reject(error) : resolve()))
  })
  req.session.userId = user.id
}
