/** Calls an operation and formats its result as a response. */

import { releaseContent } from '../base/blob-content.js'
import { createPacer } from '../base/pacer.js'
import type { ExecutingService } from '../core/assert-service.js'
import type { MethodName, VaultService } from '../core/vault-service.js'
import type { ActivityEntry, ActivityPage } from '../schema/activity-entry.js'
import { type Item, isItem } from '../schema/item.js'
import type { HttpResponse } from './message.js'
import type { Input } from './read-input.js'
import { parseQuery } from './read-query.js'
import {
  downloadResponse,
  emptyResponse,
  jsonResponse,
  unreadableHeader,
  withHeaders,
} from './responses.js'
import type { RoutedRequest } from './serve-routes.js'

/**
 * The size in bytes that the pacer assumes for an item that the dialect has changed, for example by
 * adding 100 one-time codes.
 */
const reformattedBytes = 65_536

/** A call of an operation over HTTP. */
export interface HttpCall {
  readonly operation: MethodName
  /** The request. Its parameters are the ids in the path. */
  readonly routed: RoutedRequest
  /** True if the response may contain more than the published service returns. */
  readonly extensions: boolean
  /** Called once, after the caller has been allowed to make the call. */
  readInput(): Input | Promise<Input>
}

/**
 * Calls the operation and returns its response. If the result leaves out unreadable records, the
 * header `x-cofferkit-unreadable` counts them. A list of vaults has the header `x-permissions` if
 * the request prefers it, which says whether the caller can create vaults. Rejects with the error
 * of the operation, `login` or `readInput`.
 */
export async function callOperation(
  service: ExecutingService,
  call: HttpCall,
): Promise<HttpResponse> {
  const { operation, routed, extensions } = call
  const { request, parameters, client, login } = routed
  const wantsPermissions = extensions && request.header('prefer') === 'permissions'
  const headers: Record<string, string> = {}
  let unreadable = 0
  let input: Input = {}
  try {
    const result = await service.execute(operation, {
      ids: parameters,
      ...{ client, login },
      readInput: async () => {
        input = await call.readInput()
        if (operation === 'listActivity') input = withCount(input)
        return input
      },
      onUnreadable: () => {
        headers[unreadableHeader] = String(++unreadable)
      },
      ...(wantsPermissions && {
        onCanCreate(canCreate) {
          headers['x-permissions'] = canCreate ? 'create' : ''
        },
      }),
    })
    const response = await formatResponse(service, call, input, result)
    return Object.keys(headers).length === 0 ? response : withHeaders(response, headers)
  } catch (error) {
    // Releases an upload that was not read to its end, so that nothing waits for it.
    releaseContent(input['content'])
    throw error
  }
}

async function formatResponse(
  service: VaultService,
  call: HttpCall,
  input: Input,
  result: unknown,
): Promise<HttpResponse> {
  const {
    operation,
    routed: { requestId },
  } = call
  if (result === undefined) return emptyResponse(requestId)
  if (operation === 'readFileContent')
    return downloadResponse(requestId, result as Parameters<typeof downloadResponse>[1])
  if (operation === 'listActivity')
    return activityResponse(service, call, input, result as ActivityPage)
  const format = (one: unknown): Formatted => formatResult(service, operation, one)
  if (Array.isArray(result))
    return jsonResponse(
      requestId,
      await formatList(result, format),
      linkHeader(call, input, result),
    )
  return jsonResponse(requestId, format(result).text, etagOf(result))
}

/** A JSON text, and how many bytes the pacer adds to its length for the work on it. */
interface Formatted {
  readonly text: string
  readonly bytes: number
}

/**
 * Returns the JSON of a result. The dialect formats an item. If it changes nothing, the stored JSON
 * is sent.
 */
function formatResult(
  { dialect, now }: VaultService,
  operation: MethodName,
  result: unknown,
): Formatted {
  const item = isStoredItem(result) ? result.item : result
  // A description has fields like an item, but the dialect can handle only values that are strings.
  if (operation === 'describeItem' || !isItem(item)) return { text: JSON.stringify(item), bytes: 0 }
  const formatted = dialect.formatItem(item, operation, now())
  if (formatted !== item) return { text: JSON.stringify(formatted), bytes: reformattedBytes }
  return { text: isStoredItem(result) ? result.text : JSON.stringify(item), bytes: 0 }
}

/** An item as it is stored, with its JSON. */
interface StoredItem {
  readonly item: Item
  readonly text: string
}

function isStoredItem(result: unknown): result is StoredItem {
  return typeof result === 'object' && result !== null && 'item' in result && 'text' in result
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

/** Makes the call count all matching entries of the log, as the published service does. */
function withCount(input: Input): Input {
  const isWhole = Object.keys(input).every((name) => name === 'limit' || name === 'offset')
  return isWhole ? { ...input, count: true } : input
}

/**
 * Pending entries are returned in the published service's form only from this age on, when their
 * change must have ended.
 */
const pendingMs = 60_000

/**
 * Returns a page of the log. It has a `Content-Range` without a unit, as in the published service.
 */
function activityResponse(
  { now }: VaultService,
  { routed: { requestId, query }, extensions }: HttpCall,
  input: Input,
  { entries, total, next }: ActivityPage,
): HttpResponse {
  const latest = now().getTime() - pendingMs
  const isShown = ({ result, timestamp }: ActivityEntry): boolean =>
    extensions || result !== 'PENDING' || Date.parse(timestamp) <= latest
  const shown = entries.filter(isShown)
  const start = Number(input['offset'] ?? 0)
  const range = shown.length === 0 ? '*' : `${start + 1}-${start + shown.length}`
  const published = shown.map((entry) => toPublished(entry, extensions))
  return jsonResponse(requestId, JSON.stringify(published), {
    'content-range': `${range}/${total ?? '*'}`,
    ...(extensions && next !== undefined && nextLink(query, next, ['offset'])),
  })
}

/**
 * Returns only the members that the published service has, because clients parse entries strictly.
 */
function toPublished(entry: ActivityEntry, extensions: boolean): object {
  const { requestId, clientRequestId, timestamp, action, result, code } = entry
  const { id, jti, userAgent, requestIp: ip } = entry.actor
  const { type, vault, item, itemVersion } = entry.resource
  const actor = { id, jti, userAgent, ip }
  const resource = { type, vault, item, itemVersion }
  if (!extensions) {
    const published = result === 'PENDING' ? 'SUCCESS' : result
    return { requestId, timestamp, action, result: published, actor, resource }
  }
  const { operation, credential, use, durationMs, omitted } = entry
  const { file, vaultVersion } = entry.resource
  return {
    ...{
      requestId,
      clientRequestId,
      timestamp,
      durationMs,
      operation,
      action,
      result,
      code,
      omitted,
    },
    ...{ actor, use, credential, resource: { ...resource, file, vaultVersion } },
  }
}

/**
 * Returns the header `Link` from a full page to the next page (RFC 8288), which may be empty.
 * Sorted lists have only one page.
 */
function linkHeader(
  { routed: { query } }: HttpCall,
  input: Input,
  page: readonly unknown[],
): Record<string, string> {
  const last: unknown = Reflect.get(Object(page.at(-1)), 'id')
  if (input['limit'] !== page.length || typeof last !== 'string' || input['sortBy']) return {}
  return nextLink(query, last)
}

/** Returns the header `Link` to the page after `after`, without the parameters in `without`. */
function nextLink(
  query: string,
  after: string,
  without: readonly string[] = [],
): Record<string, string> {
  const parameters = parseQuery(query)
  for (const name of without) parameters.delete(name)
  parameters.set('after', after)
  return { link: `<?${parameters}>; rel="next"` }
}

function etagOf(result: unknown): Record<string, string> {
  const { version, attributeVersion = version } = Object(
    isStoredItem(result) ? result.item : result,
  )
  return typeof attributeVersion === 'number' ? { etag: `"${attributeVersion}"` } : {}
}
