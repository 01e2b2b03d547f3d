/** Calls an operation and formats its result as a response. */

import type { Caller } from '../core/access/caller.js'
import type { BoundOperation } from '../core/create-vault-service.js'
import type { OperationName, VaultService } from '../core/vault-service.js'
import { createPacer } from '../pacer.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity-entry.js'
import { type Item, isItem } from '../schema/item.js'
import type { HttpResponse } from './message.js'
import type { Input } from './read-input.js'
import { parseQuery } from './read-query.js'
import { downloadResponse, emptyResponse, jsonResponse } from './responses.js'

/**
 * The bytes as which the pacer counts an item that the dialect has changed, such as by 100 one-time
 * codes.
 */
const reformattedBytes = 65_536

/** A call of an operation over HTTP. */
export interface HttpCall {
  readonly operation: OperationName
  readonly caller: Caller
  readonly input: Input
  readonly query: string
  readonly requestId: string
}

/** Calls the operation and returns its response. Rejects with the error of the operation. */
export async function callOperation(service: VaultService, call: HttpCall): Promise<HttpResponse> {
  const { operation, caller, input, requestId } = call
  const method: BoundOperation = service[operation]
  // Absent if an embedder has wrapped the method.
  const { serialized } = method
  if (serialized !== undefined) {
    const stored = await serialized(caller, input, undefined, service.dialect)
    if ('item' in stored) {
      const { text } = formatItem(service, operation, stored)
      return jsonResponse(requestId, text, { etag: `"${stored.item.version}"` })
    }
    if ('content' in stored) return downloadResponse(requestId, stored)
    const format = (one: StoredText) => formatItem(service, operation, one)
    return jsonResponse(requestId, await formatList(stored, format))
  }
  let result: unknown
  try {
    result = await method.call(service, caller, input as never)
  } catch (error) {
    cancelUpload(input)
    throw error
  }
  if (result === undefined) return emptyResponse(requestId)
  if (operation === 'readFileContent')
    return downloadResponse(requestId, result as Parameters<typeof downloadResponse>[1])
  if (operation === 'listActivity') return activityResponse(call, result as ActivityPage)
  const format = (one: unknown): Formatted =>
    isItem(one)
      ? formatItem(service, operation, { item: one })
      : { text: JSON.stringify(one), bytes: 0 }
  if (Array.isArray(result))
    return jsonResponse(requestId, await formatList(result, format), linkHeader(call, result))
  return jsonResponse(requestId, format(result).text, etagOf(result))
}

/** Cancels a content that the operation has not read, so that nothing waits for it to be read. */
function cancelUpload({ content }: Input): void {
  if (content instanceof ReadableStream) content.cancel().catch(() => {})
}

/** An item, and its JSON as it is stored if that is known. */
interface StoredText {
  readonly item: Item
  readonly text?: string
}

/** A JSON text, and the bytes as which the work on it counts besides its length. */
interface Formatted {
  readonly text: string
  readonly bytes: number
}

/** Returns the stored text, unless the dialect formats the item differently. */
function formatItem(
  service: VaultService,
  operation: OperationName,
  { item, text }: StoredText,
): Formatted {
  const formatted = service.dialect.formatItem(item, operation, service.now())
  if (formatted === item && text !== undefined) return { text, bytes: 0 }
  return { text: JSON.stringify(formatted), bytes: formatted === item ? 0 : reformattedBytes }
}

/** Returns the JSON of a list, formatted element by element with pauses for the event loop. */
async function formatList<Element>(
  list: readonly Element[],
  format: (element: Element) => Formatted,
): Promise<string> {
  const pace = createPacer()
  const texts: string[] = []
  for (const element of list) {
    const { text, bytes } = format(element)
    texts.push(text)
    const pause = pace(text.length + bytes)
    if (pause) await pause
  }
  return `[${texts.join(',')}]`
}

/** A page of the log has a `Content-Range` without a unit, as in the published service. */
function activityResponse(
  { input, requestId }: HttpCall,
  { entries, total }: ActivityPage,
): HttpResponse {
  const start = Number(input['offset'] ?? 0)
  const range = entries.length === 0 ? '*' : `${start + 1}-${start + entries.length}`
  return jsonResponse(requestId, JSON.stringify(entries.map(toPublished)), {
    'content-range': `${range}/${total}`,
  })
}

/** The members of the published service only, because clients parse entries strictly. */
function toPublished(entry: ActivityEntry): object {
  const { requestId, timestamp, action, result } = entry
  const { id, jti, userAgent, requestIp: ip } = entry.actor
  const { type, vault, item, itemVersion } = entry.resource
  const actor = { id, jti, userAgent, ip }
  const resource = { type, vault, item, itemVersion }
  return { requestId, timestamp, action, result, actor, resource }
}

/** A full page links to the next one (RFC 8288), which can be empty. A sorted list has no next one. */
function linkHeader({ input, query }: HttpCall, page: readonly unknown[]): Record<string, string> {
  const last: unknown = Reflect.get(Object(page.at(-1)), 'id')
  if (input['limit'] !== page.length || typeof last !== 'string' || input['sortBy']) return {}
  const parameters = parseQuery(query)
  parameters.set('after', last)
  return { link: `<?${parameters}>; rel="next"` }
}

function etagOf(result: unknown): Record<string, string> {
  const { version, attributeVersion = version } = Object(result)
  return typeof attributeVersion === 'number' ? { etag: `"${attributeVersion}"` } : {}
}
