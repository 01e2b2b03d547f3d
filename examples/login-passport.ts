/** Mounts a vault in an Express app whose users log in with passport. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createHttpHandler } from 'cofferkit/http'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-local'
import {
  callerOf,
  isUser,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

declare global {
  namespace Express {
    interface User {
      readonly email: string
    }
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
app.use(passport.session())
passport.serializeUser<string>(({ email }, done) => done(null, email))
passport.deserializeUser<string>((email, done) => done(null, { email }))
passport.use(
  new Strategy({ usernameField: 'email' }, (email, password, done) =>
    done(null, isUser(email, password) && { email }),
  ),
)
app.post(
  '/login',
  express.json(),
  passport.authenticate('local'),
  (_req, res) => {
    res.sendStatus(204)
  },
)

// The vault behind the login.
const authenticate = fromExpress((req) => req.user && callerOf(req.user.email))
const api = createHttpHandler(service, { authenticate })
app.use('/secrets', createExpressHandler(api))

const server = createServer(app)
const origin = await listen(server)
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
server.close()
