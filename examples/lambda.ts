/** Serves a vault from an AWS Lambda function URL, whose events and results are plain objects. */

import { createCaller, createVaultService } from 'cofferkit'
import { createHttpHandler, type HttpResponse } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'

/** The used part of an event, in format version 2.0. Repeated headers are already joined. */
interface FunctionUrlEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly requestContext: {
    readonly http: { readonly method: string; readonly sourceIp: string }
  }
  readonly body?: string
  readonly isBase64Encoded: boolean
}

/** The result of a function. */
interface FunctionUrlResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly isBase64Encoded: boolean
}

// In your function, use a database as the store: memory is lost with the instance.
const service = createVaultService({ store: createMemoryStore(), strict: true })
const wendy = createCaller({ id: 'wendy', vaults: '*' })
const api = createHttpHandler(service, { authenticate: () => wendy })

export async function handler(
  event: FunctionUrlEvent,
): Promise<FunctionUrlResult> {
  const { method, sourceIp } = event.requestContext.http
  const encoding = event.isBase64Encoded ? 'base64' : 'utf8'
  const { status, headers, body } = await api({
    method,
    url:
      event.rawQueryString === ''
        ? event.rawPath
        : `${event.rawPath}?${event.rawQueryString}`,
    header: (name) => event.headers[name.toLowerCase()],
    remoteAddress: sourceIp,
    body:
      event.body === undefined
        ? null
        : { parsed: Buffer.from(event.body, encoding) },
  })
  return {
    statusCode: status,
    headers,
    body: await base64(body),
    isBase64Encoded: true,
  }
}

/** Reads the whole body as base64. Lambda sends a result as a whole, at most 6 MB. */
async function base64(body: HttpResponse['body']): Promise<string> {
  const bytes = await new Response(
    body as ConstructorParameters<typeof Response>[0],
  ).arrayBuffer()
  return Buffer.from(bytes).toString('base64')
}

// Call the handler with events, as Lambda does.
const vault = await service.createVault(wendy, { name: 'Team' })
const item = {
  category: 'SECURE_NOTE',
  vault: { id: vault.id },
  title: 'Door code',
}
const send = (
  method: string,
  rawQueryString: string,
  body?: string,
): Promise<FunctionUrlResult> =>
  handler({
    rawPath: `/v1/vaults/${vault.id}/items`,
    rawQueryString,
    headers: {},
    requestContext: { http: { method, sourceIp: '192.0.2.7' } },
    isBase64Encoded: false,
    ...(body !== undefined && { body }),
  })

const created = await send('POST', '', JSON.stringify(item))
const listed = await send('GET', 'filter=title%20eq%20%22Door%20code%22')
const [{ title }] = JSON.parse(Buffer.from(listed.body, 'base64').toString())
console.log(created.statusCode, listed.statusCode, title)
