/** Asks an operation and makes a response of what it answers. */

import type { Caller } from '../core/access/caller.js'
import type { BoundOperation } from '../core/create-vault-service.js'
import type { OperationName, VaultService } from '../core/vault-service.js'
import { createPacer } from '../pacer.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity.js'
import { type Item, isItem } from '../schema/item.js'
import type { HttpResponse } from './message.js'
import type { Input } from './read-input.js'
import { parseQuery } from './read-query.js'
import { downloadResponse, emptyResponse, jsonResponse } from './responses.js'

/** Bytes that an item in the words of a dialect counts as, which may be a hundred one-time codes. */
const rewordedBytes = 65_536

/** A call of an operation that came over HTTP. */
export interface HttpCall {
  readonly operation: OperationName
  readonly caller: Caller
  readonly input: Input
  readonly query: string
  readonly requestId: string
}

/** The response to a call. Rejects as the operation does. */
export async function callOperation(service: VaultService, call: HttpCall): Promise<HttpResponse> {
  const { operation, caller, input, requestId } = call
  const method: BoundOperation = service[operation]
  // Absent where an embedder has wrapped the method.
  const { serialized } = method
  if (serialized !== undefined) {
    const stored = await serialized(caller, input)
    const wordsOf = (one: DescribedItem): Words => formatResult(service, operation, one)
    if ('item' in stored) return jsonResponse(requestId, wordsOf(stored).text, etagOf(stored.item))
    return jsonResponse(requestId, await listText(stored, wordsOf))
  }
  const result = await method.call(service, caller, input as never)
  if (result === undefined) return emptyResponse(requestId)
  if (operation === 'readFileContent')
    return downloadResponse(requestId, result as Parameters<typeof downloadResponse>[1])
  if (operation === 'listActivity') return activityResponse(call, result as ActivityPage)
  const wordsOf = (one: unknown): Words =>
    isItem(one)
      ? formatResult(service, operation, { item: one })
      : { text: JSON.stringify(one), bytes: 0 }
  if (Array.isArray(result))
    return jsonResponse(requestId, await listText(result, wordsOf), linkHeader(call, result))
  return jsonResponse(requestId, wordsOf(result).text, etagOf(result))
}

/** An item, and its JSON as it is stored where that is known. */
interface DescribedItem {
  readonly item: Item
  readonly text?: string
}

/** The JSON of an answer, and the bytes that the work on it counts as besides its own. */
interface Words {
  readonly text: string
  readonly bytes: number
}

/** Text that was stored is the text that is answered, unless the dialect has other words. */
function formatResult(
  service: VaultService,
  operation: OperationName,
  { item, text }: DescribedItem,
): Words {
  const answered = service.dialect.formatItem(item, operation, service.now())
  if (answered === item && text !== undefined) return { text, bytes: 0 }
  return { text: JSON.stringify(answered), bytes: answered === item ? 0 : rewordedBytes }
}

/** The JSON of a list, made one element after the other, with turns of the event loop in between. */
async function listText<Element>(
  list: readonly Element[],
  wordsOf: (element: Element) => Words,
): Promise<string> {
  const pace = createPacer()
  const texts: string[] = []
  for (const element of list) {
    const { text, bytes } = wordsOf(element)
    texts.push(text)
    const pause = pace(text.length + bytes)
    if (pause) await pause
  }
  return `[${texts.join(',')}]`
}

/** A part of the log says which part it is (`Content-Range` without a unit, as the published service has it). */
function activityResponse(
  { input, requestId }: HttpCall,
  { entries, total }: ActivityPage,
): HttpResponse {
  const start = Number(input['offset'] ?? 0)
  const part = entries.length === 0 ? '*' : `${start + 1}-${start + entries.length}`
  return jsonResponse(requestId, JSON.stringify(entries.map(published)), {
    'content-range': `${part}/${total}`,
  })
}

/** The entry with the members of the published service and no others, because clients read it strictly. */
function published(entry: ActivityEntry): ActivityEntry {
  const { requestId, timestamp, action, result, actor, resource } = entry
  return { requestId, timestamp, action, result, actor, resource }
}

/** A full page names the next one (RFC 8288), which may be empty. */
function linkHeader({ input, query }: HttpCall, page: readonly unknown[]): Record<string, string> {
  const last: unknown = Reflect.get(Object(page.at(-1)), 'id')
  if (input['limit'] !== page.length || typeof last !== 'string') return {}
  const parameters = parseQuery(query)
  parameters.set('after', last)
  return { link: `<?${parameters}>; rel="next"` }
}

function etagOf(result: unknown): Record<string, string> {
  const { version, attributeVersion = version } = Object(result)
  return typeof attributeVersion === 'number' ? { etag: `"${attributeVersion}"` } : {}
}
