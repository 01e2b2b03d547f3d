/** Mounts a vault in a NestJS app as a provider, in front of Nest's body parser. */

import 'reflect-metadata'
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { createVaultService } from 'cofferkit'
import { createExpressHandler } from 'cofferkit/express'
import { bearerAuth, createHttpHandler, type HttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import { visit } from './visit.js'

const { token, sha256 } = await createToken()

function createApi(): HttpHandler {
  const service = createVaultService({
    store: createMemoryStore(),
    strict: true,
  })
  const tokens = [{ id: 'wendy', sha256, vaults: '*' }] as const
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  return createHttpHandler(service, { authenticate, extensions: true })
}

// In a project that compiles decorators, this is `@Module({ … }) class AppModule {}`.
const secretsApi = Symbol('secrets api')
class AppModule {}
Module({ providers: [{ provide: secretsApi, useFactory: createApi }] })(
  AppModule,
)

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: false,
  forceCloseConnections: true,
})
app.use('/secrets', createExpressHandler(app.get<HttpHandler>(secretsApi)))
await app.listen(0, '127.0.0.1')

await visit(`${await app.getUrl()}/secrets`, token)
await app.close()
