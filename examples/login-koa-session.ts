/** Mounts a vault in a Koa app with sessions. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createHttpHandler } from 'cofferkit/http'
import { createKoaMiddleware, fromKoa } from 'cofferkit/koa'
import Koa, { type Context } from 'koa'
import { createSession } from 'koa-session'
import {
  callerOf,
  isUser,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

// The login of the app.
const app = new Koa()
app.keys = [randomUUID()]
app.use(createSession({ httpOnly: true, sameSite: 'lax' }, app))
app.use(async (context: Context, next) => {
  const { path, req, session } = context
  if (path !== '/login') return next()
  const { email, password } = Object(await json(req))
  if (!isUser(email, password)) context.throw(401)
  session.email = email
  context.status = 204
})

// The vault behind the login.
const authenticate = fromKoa(
  ({ session }: Context) => session.email && callerOf(session.email),
)
const api = createHttpHandler(service, { authenticate, basePath: '/secrets' })
app.use(createKoaMiddleware(api))

const server = createServer(app.callback())
const origin = await listen(server)
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
server.close()
