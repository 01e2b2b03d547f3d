/** Mounts a vault in a Hono app whose users log in with better-auth. */

import { randomUUID } from 'node:crypto'
import { createAdaptorServer } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { createHonoHandler, fromHono } from 'cofferkit/hono'
import { createHttpHandler } from 'cofferkit/http'
import { type Context, Hono } from 'hono'
import {
  callerOf,
  credentials,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

// The login of the app.
const app = new Hono<Env>()
const server = createAdaptorServer(app) as import('node:http').Server
const origin = await listen(server)
const auth = betterAuth({
  baseURL: origin,
  secret: randomUUID(),
  database: memoryAdapter({
    user: [],
    session: [],
    account: [],
    verification: [],
  }),
  emailAndPassword: { enabled: true },
})
interface Env {
  Variables: { user: typeof auth.$Infer.Session.user | undefined }
}
app.all('/api/auth/*', ({ req }) => auth.handler(req.raw))
app.use(async (c, next) => {
  const session = await auth.api.getSession({ headers: c.req.raw.headers })
  c.set('user', session?.user)
  await next()
})

// The vault behind the login.
const findCaller = ({ var: { user } }: Context<Env>) =>
  user && callerOf(user.email)
const api = createHttpHandler(service, { authenticate: fromHono(findCaller) })
app.all('/secrets/*', createHonoHandler(api))

await auth.api.signUpEmail({ body: { ...credentials, name: 'Wendy' } })
await visitAs(
  await logIn(`${origin}/api/auth/sign-in/email`),
  `${origin}/secrets`,
)
server.close()
