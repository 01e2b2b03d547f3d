/**
 * Uses the types of the functions that authenticate with the request of a framework, in a project
 * with the types of the frameworks, of passport and of sessions.
 */

import { type Caller, createCaller } from 'cofferkit'
import { fromExpress } from 'cofferkit/express'
import { fromFastify } from 'cofferkit/fastify'
import { fromFetch } from 'cofferkit/fetch'
import { fromHono } from 'cofferkit/hono'
import type { Authenticate } from 'cofferkit/http'
import { fromKoa } from 'cofferkit/koa'
import { fromNode } from 'cofferkit/node'
import type { Request as ExpressRequest } from 'express'
import type { Request as JwtRequest } from 'express-jwt'
import type {} from 'express-session'
import type { FastifyRequest } from 'fastify'
import type { Context as HonoContext } from 'hono'
import type { JwtVariables } from 'hono/jwt'
import type { Context as KoaContext } from 'koa'
import type {} from 'passport'

declare global {
  namespace Express {
    interface User {
      readonly id: string
    }
  }
}
declare module 'express-session' {
  interface SessionData {
    userId: string
  }
}
declare module 'fastify' {
  interface FastifyRequest {
    userId?: number
  }
}

interface Env {
  Variables: JwtVariables<{ sub: string }> & { user: { id: string } | null }
}
interface Bindings {
  readonly users: ReadonlyMap<string, string>
}
declare function findCaller(id: string | number): Promise<Caller>

export const authenticators: readonly Authenticate[] = [
  fromExpress((req) => req.user && createCaller({ id: req.user.id, vaults: '*' })),
  fromExpress(({ session: { userId } }) => userId && findCaller(userId)),
  fromExpress(async ({ session }) => session.userId && findCaller(session.userId)),
  fromExpress((req) => req.isAuthenticated() && createCaller({ id: req.user.id, vaults: '*' })),
  fromExpress(
    (req) => req.headersDistinct['x-user']?.[0] && createCaller({ id: 'wendy', vaults: '*' }),
  ),
  fromExpress(
    (req: ExpressRequest) => req.params['id'] && createCaller({ id: 'wendy', vaults: '*' }),
  ),
  fromExpress(({ auth }: JwtRequest) => auth?.sub && findCaller(auth.sub), { challenge: 'Bearer' }),
  fromKoa(({ state }) => state.user && createCaller({ id: state.user.id, vaults: '*' })),
  fromKoa(
    (context: KoaContext) => context.ip && createCaller({ id: context.state['user'], vaults: '*' }),
  ),
  fromFastify(
    (request) => request.ip === '127.0.0.1' && createCaller({ id: 'wendy', vaults: '*' }),
  ),
  fromFastify(({ userId }: FastifyRequest) => userId && findCaller(userId)),
  fromHono((c) => c.get('user') && createCaller({ id: c.get('user').id, vaults: '*' })),
  fromHono(
    ({ var: { user } }: HonoContext<Env>) => user && createCaller({ id: user.id, vaults: '*' }),
  ),
  fromHono((c: HonoContext<Env>) => findCaller(c.get('jwtPayload').sub)),
  fromFetch(
    (request) => request.headers.has('cookie') && createCaller({ id: 'wendy', vaults: '*' }),
  ),
  fromFetch(
    (_, users: Bindings['users']) =>
      users.get('wendy') && createCaller({ id: 'wendy', vaults: '*' }),
  ),
  fromNode(
    ({ headers }) => headers.cookie !== undefined && createCaller({ id: 'wendy', vaults: '*' }),
  ),
]

export const rejected: readonly unknown[] = [
  // @ts-expect-error A user can be missing.
  fromExpress((req) => createCaller({ id: req.user.id, vaults: '*' })),
  // @ts-expect-error A string is not a caller.
  fromExpress((req) => req.user?.id),
  // @ts-expect-error Passport has no user with this member.
  fromExpress((req) => req.user && createCaller({ id: req.user.name, vaults: '*' })),
  // @ts-expect-error True is not a caller.
  fromFastify(() => true),
  // @ts-expect-error The variable is not of the environment.
  fromHono((c: HonoContext<Env>) => createCaller({ id: c.get('name').id, vaults: '*' })),
]
