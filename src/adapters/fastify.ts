/**
 * Mounts the vault in Fastify 4 and 5.
 * @module cofferkit/fastify
 */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { HttpHandler } from '../http/message.js'
import { answerTo, bodyOf } from './node-message.js'
import { withoutPrefix } from './prefix.js'

/** What is used of Fastify's instance. */
export interface FastifyScope {
  readonly prefix: string
  /** Forgets how bodies are parsed, within the plugin. */
  removeAllContentTypeParsers(): void
  /** Says how bodies of a type are parsed. */
  addContentTypeParser(
    type: string,
    parser: (_: unknown, payload: unknown) => Promise<unknown>,
  ): void
  /** A route for every method. */
  all(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void
}

/** What is used of Fastify's request. */
export interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly body: unknown
  readonly ip: string
}

/** What is used of Fastify's reply. */
export interface FastifyReply {
  /** Sets the status. */
  code(status: number): FastifyReply
  /** Sets headers. */
  headers(headers: Record<string, string>): FastifyReply
  /** Sends the answer. */
  send(payload: unknown): unknown
}

/**
 * A plugin for `app.register(plugin, { prefix: '/secrets' })`, or without a prefix. It answers every request under the
 * prefix, through the reply, so that hooks see it. Bodies are read by the vault: inside the plugin, and nowhere else, no
 * content type parser of the app is at work. If `api` fails, which the handlers of this library never do, it throws.
 */
export function createFastifyPlugin(api: HttpHandler): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_, payload) => payload)
    scope.all('/*', async ({ raw, body: payload, ip }, reply) => {
      const { status, headers, body } = await answerTo(raw, api, {
        url: withoutPrefix(raw.url ?? '/', scope.prefix),
        body: payload instanceof Readable ? bodyOf(payload, undefined) : null,
        remoteAddress: ip,
      })
      return reply
        .code(status)
        .headers({ ...headers })
        .send(body ?? undefined)
    })
  }
}
