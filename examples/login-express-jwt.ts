/** Mounts a vault in an Express app with bearer tokens, which express-jwt verifies. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createHttpHandler } from 'cofferkit/http'
import express from 'express'
import { expressjwt, type Request } from 'express-jwt'
import { SignJWT } from 'jose'
import {
  callerOf,
  isUser,
  listen,
  logIn,
  service,
  visitAs,
} from './two-users.js'

// The login of the app. Requests without a token reach the vault, which responds with 401.
const app = express()
const secret = randomUUID()
app.post('/login', express.json(), async (req, res) => {
  const { email, password } = req.body
  if (!isUser(email, password)) return void res.sendStatus(401)
  const token = new SignJWT()
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(email)
  res.json({
    token: await token.setExpirationTime('1h').sign(Buffer.from(secret)),
  })
})
app.use(
  expressjwt({ secret, algorithms: ['HS256'], credentialsRequired: false }),
)

// The vault behind the login.
const findCaller = ({ auth }: Request) => auth?.sub && callerOf(auth.sub)
const authenticate = fromExpress(findCaller, { challenge: 'Bearer' })
app.use(
  '/secrets',
  createExpressHandler(createHttpHandler(service, { authenticate })),
)

const server = createServer(app)
const origin = await listen(server)
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
server.close()
