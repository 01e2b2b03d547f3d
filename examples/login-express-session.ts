/** Mounts a vault in an Express app with sessions, and refuses changes of other sites. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createHttpHandler } from 'cofferkit/http'
import express from 'express'
import session from 'express-session'
import { refuseCrossSite } from './refuse-cross-site.js'
import {
  callerOf,
  isUser,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

declare module 'express-session' {
  interface SessionData {
    email: string
  }
}

// The login of the app.
const app = express()
const cookie = { httpOnly: true, sameSite: 'lax', secure: 'auto' } as const
app.use(
  session({
    secret: randomUUID(),
    resave: false,
    saveUninitialized: false,
    cookie,
  }),
)
app.post('/login', express.json(), (req, res, next) => {
  const { email, password } = req.body
  if (!isUser(email, password)) return void res.sendStatus(401)
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.email = email
    res.sendStatus(204)
  })
})

// The vault behind the login.
const authenticate = fromExpress(
  ({ session: { email } }) => email && callerOf(email),
)
const api = createHttpHandler(service, {
  authenticate: refuseCrossSite(authenticate),
})
app.use('/secrets', createExpressHandler(api))

const server = createServer(app)
const origin = await listen(server)
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
server.close()
