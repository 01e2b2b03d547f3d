/** What the mount uses of Fastify, in its own words: nothing of it is imported. */

import type { IncomingHttpHeaders } from 'node:http'
import type { NodeRequest } from '../node/request.js'
import type { NodeServerResponse } from '../node/send-response.js'

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
  /** Is called when the body of a request within the plugin is about to be parsed. */
  addHook(name: 'preParsing', hook: (request: FastifyRequest) => Promise<void>): unknown
  /** A route for every method. */
  all(
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void
}

/** What is used of Fastify's request. */
export interface FastifyRequest {
  readonly raw: NodeRequest
  /** As hooks and parsers see them; those of `raw` stay as they came. */
  headers: IncomingHttpHeaders
  readonly body: unknown
  readonly ip: string
}

/** What is used of Fastify's reply. */
export interface FastifyReply {
  readonly raw: NodeServerResponse
  /** Sets the status. */
  code(status: number): FastifyReply
  /** Sets headers. */
  headers(headers: Record<string, string>): FastifyReply
  /** Says that nothing is to be sent any more. */
  hijack(): unknown
  /** Sends the answer. */
  send(payload: unknown): unknown
}
