/** Mounts a vault in a Fastify app with sessions. */

import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import session from '@fastify/session'
import { createFastifyPlugin, fromFastify } from 'cofferkit/fastify'
import { createHttpHandler } from 'cofferkit/http'
import { type FastifyRequest, fastify } from 'fastify'
import { callerOf, isUser, logIn, service, visitAs } from './two-users.js'

declare module 'fastify' {
  interface Session {
    email?: string
  }
}

// The login of the app.
const app = fastify({ forceCloseConnections: true })
app.register(cookie)
const attributes = { httpOnly: true, sameSite: 'lax', secure: 'auto' } as const
app.register(session, {
  secret: randomUUID(),
  saveUninitialized: false,
  cookie: attributes,
})
app.post<{ Body: { email: string; password: string } }>(
  '/login',
  async (request, reply) => {
    const { email, password } = request.body
    if (!isUser(email, password)) return reply.code(401).send()
    await request.session.regenerate()
    request.session.email = email
    return reply.code(204).send()
  },
)

// The vault behind the login.
const findCaller = ({ session: { email } }: FastifyRequest) =>
  email && callerOf(email)
const api = createHttpHandler(service, {
  authenticate: fromFastify(findCaller),
})
app.register(createFastifyPlugin(api), { prefix: '/secrets' })

const origin = await app.listen({ host: '127.0.0.1', port: 0 })
await visitAs(await logIn(`${origin}/login`), `${origin}/secrets`)
await app.close()
