/** Asks an operation and makes a response of what it answers. */

import type { Caller } from '../core/caller.js'
import { describerOf } from '../core/service.js'
import type { VaultService } from '../core/vault-service.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity.js'
import { isItem } from '../schema/item.js'
import type { OperationName } from '../schema/operations.js'
import type { HttpResponse } from './message.js'
import type { Input } from './read-input.js'
import { parametersOf } from './read-query.js'
import { contentResponse, emptyResponse, jsonResponse } from './respond.js'

type Operation = (caller: Caller, input: never) => Promise<unknown>

/** A call of an operation that came over HTTP. */
export interface HttpCall {
  readonly operation: OperationName
  readonly caller: Caller
  readonly input: Input
  readonly query: string
  readonly requestId: string
}

/** The response to a call. Rejects as the operation does. */
export async function answer(service: VaultService, call: HttpCall): Promise<HttpResponse> {
  const { operation, caller, input, requestId } = call
  const perform: Operation = service[operation]
  const describe = describerOf(perform)
  if (describe !== undefined) {
    const { item, text } = await describe(caller, input as never)
    const answered = inDialect(service, operation, item)
    // Text that was stored is the text that is answered, unless the dialect has other words.
    const words = answered === item ? text : JSON.stringify(answered)
    return jsonResponse(requestId, words, etagOf(item))
  }
  const result = await perform.call(service, caller, input as never)
  if (result === undefined) return emptyResponse(requestId)
  if (operation === 'readFileContent')
    return contentResponse(requestId, result as Parameters<typeof contentResponse>[1])
  if (operation === 'listActivity') return activityResponse(call, result as ActivityPage)
  const headers = Array.isArray(result) ? nextPage(call, result) : etagOf(result)
  return jsonResponse(requestId, JSON.stringify(inDialect(service, operation, result)), headers)
}

/** The answer of an operation, each item in it in the words of the dialect. */
function inDialect(service: VaultService, operation: OperationName, result: unknown): unknown {
  if (Array.isArray(result)) return result.map((each) => inDialect(service, operation, each))
  return isItem(result) ? service.dialect.answerItem(result, operation, service.now()) : result
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
function nextPage({ input, query }: HttpCall, page: readonly unknown[]): Record<string, string> {
  const last: unknown = Reflect.get(Object(page.at(-1)), 'id')
  if (input['limit'] !== page.length || typeof last !== 'string') return {}
  const parameters = parametersOf(query)
  parameters.set('after', last)
  return { link: `<?${parameters}>; rel="next"` }
}

function etagOf(result: unknown): Record<string, string> {
  const { version, attributeVersion = version } = Object(result)
  return typeof attributeVersion === 'number' ? { etag: `"${attributeVersion}"` } : {}
}
