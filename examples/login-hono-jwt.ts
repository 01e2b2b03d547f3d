/** Mounts a vault in a Hono app with bearer tokens, which the middleware of Hono verifies. */

import { randomUUID } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import { createHonoHandler, fromHono } from 'cofferkit/hono'
import { createHttpHandler } from 'cofferkit/http'
import { type Context, Hono } from 'hono'
import { type JwtVariables, jwt, sign } from 'hono/jwt'
import {
  callerOf,
  isUser,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

// The login of the app.
interface Env {
  Variables: JwtVariables<{ sub: string }>
}
const app = new Hono<Env>()
const secret = randomUUID()
app.post('/login', async (c) => {
  const { email, password } = await c.req.json()
  if (!isUser(email, password)) return c.body(null, 401)
  const exp = Math.floor(Date.now() / 1000) + 3600
  return c.json({ token: await sign({ sub: email, exp }, secret, 'HS256') })
})
app.use(jwt({ secret, alg: 'HS256' })) // responds with 401 itself

// The vault behind the login.
const authenticate = fromHono((c: Context<Env>) =>
  callerOf(c.get('jwtPayload').sub),
)
const api = createHttpHandler(service, { authenticate })
app.all('/secrets/*', createHonoHandler(api))

const server = createAdaptorServer(app) as import('node:http').Server
const origin = await listen(server)
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
server.close()
