/** What the mount uses of Fastify, in its own words: nothing of it is imported. */

import type { IncomingMessage } from 'node:http'

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
