/** An example request: its command for curl, and its real response. */

import type { TestTokens } from '../../../src/testing.js'
import { uploadedFile } from './example-server.js'
import { formatJson } from './format-json.js'

/** A request that the page shows. */
export interface ExampleRequest {
  /** The line above the command, without its colon; absent for the first example of a route. */
  readonly title?: string
  readonly method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The query of a GET; each value is encoded by curl. */
  readonly query?: Readonly<Record<string, string>>
  /** The name of the variable with the token: `$TOKEN` if absent; null for no token. */
  readonly token?: 'READER_TOKEN' | null
  readonly ifMatch?: string
  /** The body: a value that is sent as JSON, or the file of the example server. */
  readonly body?: { readonly json: unknown } | 'file'
  /** Shows only the lines of a text that contain this. */
  readonly grep?: string
}

/** The response to an example request. */
export interface ExampleResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const origin = 'http://localhost:8080'

/** The `User-Agent` of each example request. The activity entries on the page contain it. */
export const pageAgent = 'curl/8.14.1'

/** The headers that the page shows, if a response has them. */
const shownHeaders = [
  'ETag',
  'Link',
  'Content-Range',
  'Content-Disposition',
  'WWW-Authenticate',
  'Allow',
  'Retry-After',
]

/** Returns the command, in lines that end with a backslash. */
function formatCommand(request: ExampleRequest): string {
  const { method, path, query = {}, token = 'TOKEN', ifMatch, body, grep } = request
  const implied = body === undefined ? undefined : 'POST'
  const url = /[?&]/.test(path) ? `'${origin}${path}'` : origin + path
  const parts = [
    [
      'curl',
      ...(method === undefined || method === implied ? [] : ['-X', method]),
      ...(Object.keys(query).length === 0 ? [] : ['-G']),
      url,
    ].join(' '),
    ...Object.entries(query).map(([name, value]) => `--data-urlencode '${name}=${value}'`),
    ...(token === null ? [] : [`-H "Authorization: Bearer $${token}"`]),
    ...(ifMatch === undefined ? [] : [`-H 'If-Match: ${ifMatch}'`]),
    ...bodyParameters(body),
  ]
  const command = parts.join(' \\\n  ')
  return grep === undefined ? command : `${command} | grep '${grep}'`
}

function bodyParameters(body: ExampleRequest['body']): string[] {
  if (body === undefined) return []
  if (body === 'file')
    return [`-H 'Content-Type: application/octet-stream'`, `--data-binary @${uploadedFile.name}`]
  return [`-H 'Content-Type: application/json'`, `-d '${formatJson(body.json, 0, 10)}'`]
}

/** Replaces the durations and random ids of calls in a body, so that the page is always the same. */
export function toRepeatable(text: string): string {
  return text
    .replace(/(?<="durationMs":)\d+/g, '2')
    .replace(/(?<="clientRequestId":")[^"]+/g, '5ccf8ef0-7d50-4b66-9f0e-33e5a3ac0d1a')
}

/** Sends the request as curl would. */
export async function sendExample(
  request: ExampleRequest,
  server: { readonly origin: string; readonly tokens: TestTokens },
): Promise<ExampleResponse> {
  const { method, path, query = {}, token = 'TOKEN', ifMatch, body, grep } = request
  const url = new URL(server.origin + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const headers = new Headers({ 'user-agent': pageAgent })
  const { full, reader } = server.tokens
  if (token !== null) headers.set('authorization', `Bearer ${token === 'TOKEN' ? full : reader}`)
  if (ifMatch !== undefined) headers.set('if-match', ifMatch)
  if (body !== undefined)
    headers.set('content-type', `application/${body === 'file' ? 'octet-stream' : 'json'}`)
  const content = body === 'file' ? uploadedFile.content : JSON.stringify(body?.json)
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body: content }),
  })
  const text = toRepeatable(await response.text())
  const lines = text.split('\n').filter((line) => grep !== undefined && line.includes(grep))
  const { status } = response
  return { status, headers: response.headers, text: grep === undefined ? text : lines.join('\n') }
}

/** Returns the title, the command and the response as Markdown. */
export function formatExample(request: ExampleRequest, response: ExampleResponse): string {
  const { status, headers, text } = response
  const type = headers.get('content-type')
  const isJson = type?.startsWith('application/json')
  const shown = [...(isJson || type === null ? [] : ['Content-Type']), ...shownHeaders]
    .filter((name) => headers.has(name))
    .map((name) => `\`${name}: ${headers.get(name)}\``)
  const block = isJson
    ? `\`\`\`json\n${formatJson(JSON.parse(text))}\n\`\`\`\n`
    : `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`
  return [
    ...(request.title === undefined ? [] : [`${request.title}:\n`]),
    `\`\`\`sh\n${formatCommand(request)}\n\`\`\`\n`,
    `Response: ${[String(status), ...shown].join(', ')}\n`,
    ...(text === '' ? [] : [block]),
  ].join('\n')
}
