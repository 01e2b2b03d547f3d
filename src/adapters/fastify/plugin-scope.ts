/** The members of Fastify that the mount uses. Fastify itself is not imported. */

import type { IncomingHttpHeaders } from 'node:http'
import type { NodeRequest, NodeServerResponse } from '../node/node-request.js'

/** The members of Fastify's instance that the mount uses. */
export interface FastifyScope {
  /** The prefix that the plugin is registered with. Empty if there is none. */
  readonly prefix: string
  /** Removes the body parsers within the plugin. */
  removeAllContentTypeParsers(): void
  /** Adds a body parser for a content type. */
  addContentTypeParser(
    type: string,
    parser: (_: unknown, payload: unknown) => Promise<unknown>,
  ): void
  /** Adds a hook that runs before the body of a request within the plugin is parsed. */
  addHook(name: 'preParsing', hook: (request: FastifyRequest) => Promise<void>): unknown
  /** Adds a route for every method. */
  all(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void
}

/** The members of Fastify's request that the mount uses. */
export interface FastifyRequest {
  readonly raw: NodeRequest
  /** The headers that hooks and parsers use. Those of `raw` stay unchanged. */
  headers: IncomingHttpHeaders
  /** The result of the body parser. */
  readonly body: unknown
  /** The address of the client, even behind trusted proxies. */
  readonly ip: string
}

/** The members of Fastify's reply that the mount uses. */
export interface FastifyReply {
  readonly raw: NodeServerResponse
  /** Sets the status. */
  code(status: number): FastifyReply
  /** Sets headers. */
  headers(headers: Record<string, string>): FastifyReply
  /** Prevents Fastify from sending anything else. */
  hijack(): unknown
  /** Sends the response. */
  send(payload: unknown): unknown
}
