/** Broken variants of a mount. */

import { isChunks } from '../../../src/base/blob-content.js'
import type { HttpResponse } from '../../../src/http/message.js'
import {
  type BrokenVariant,
  bodyText,
  type HandlerDefect,
  readText,
  withChangedBody,
  withChangedRequest,
  withChangedResponse,
  withEchoedBody,
  withoutHeader,
} from '../broken-variant.js'

/** At least one for every case of `httpContract`. */
export const brokenMounts: readonly BrokenVariant<HandlerDefect>[] = [
  withChangedResponse(
    'creates an item and returns it with its version as the ETag',
    /^the response/,
    withoutHeader('etag'),
  ),
  withChangedResponse('returns a vault, its items and an item', /^the list/, (response) => ({
    ...response,
    body: bodyText(response).replaceAll('"favorite":false,', ''),
  })),
  withChangedResponse('replaces an item', /^the ETag/, (response, { method }) => ({
    ...response,
    headers: { ...response.headers, ...(method === 'PUT' && { etag: '"3"' }) },
  })),
  withChangedBody(
    'patches a field by its id, and returns the item unchanged for an empty patch',
    /^the item after an empty patch/,
    (body) => (body === '[]' ? '[{"op":"add","path":"/tags/-","value":"x"}]' : body),
  ),
  withChangedResponse(
    'deletes an item with 204 and no body, and then returns 404',
    /^the response/,
    (response) => (response.status === 204 ? { ...response, status: 200, body: '{}' } : response),
  ),
  withChangedRequest(
    'returns file details without content, and with content when inline_files is true',
    /^the details, inlined/,
    ({ url }) => ({ url: url.replace(/\?.*/, '') }),
  ),
  withChangedResponse(
    'returns 413 for a file that is too large to inline, with the path of the download',
    /^the message/,
    (response) => ({ ...response, body: bodyText(response).replace('/v1/', '/') }),
  ),
  withChangedResponse(
    'returns the content of a file from its content_path, as an attachment with its name',
    /^the headers/,
    withoutHeader('content-disposition'),
  ),
  withChangedResponse(
    'streams a content that the store returns as a stream',
    /^the content is complete/,
    (response) => (isChunks(response.body) ? { ...response, body: '' } : response),
  ),
  withChangedRequest(
    'ignores a trailing slash and a doubled leading slash',
    /^a doubled leading slash/,
    (request) => (request.url.startsWith('//') ? { url: request.url.slice(2) } : {}),
  ),
  withChangedResponse(
    'returns the headers of GET without the body for HEAD',
    /^the header content-length/,
    withoutHeader('content-length'),
  ),
  withChangedRequest(
    'changes an item only at the version in If-Match',
    /^the status for W/,
    (request) => ({
      header: (name) => request.header(name)?.replace(/^W\//, ''),
    }),
  ),
  {
    caseName: 'loses none of 64 concurrent patches of one item',
    message: /^tags/,
    subject: (handler) => {
      let last: Promise<HttpResponse> | undefined
      return (request) => {
        if (request.method !== 'PATCH') return handler(request)
        last ??= handler(request)
        setTimeout(() => {
          last = undefined
        }, 50)
        return last
      }
    },
  },
  {
    caseName: 'lists only the vaults that the caller can read',
    message: /^the vaults of the writer/,
    subject: (handler) => {
      const cache = new Map<string, HttpResponse>()
      return async (request) => {
        const response = cache.get(request.url) ?? (await handler(request))
        cache.set(request.url, response)
        return response
      }
    },
  },
  withChangedRequest(
    'lists the files of an item, with small contents when inline_files is true',
    /^the files, inlined/,
    ({ url }) => ({ url: url.replace(/\?.*/, '') }),
  ),
  withChangedRequest(
    'lists the matches of a filter, however it is escaped, and returns 400 for an invalid filter',
    /^escaped as a URL component/,
    ({ url }) => ({ url: decodeURIComponent(url) }),
  ),
  withChangedResponse(
    'returns a page of the activity log with its Content-Range',
    /^the header content-range/,
    withoutHeader('content-range'),
  ),
  {
    caseName: 'returns the heartbeat, the health and the metrics without a token',
    message: /^the heartbeat/,
    subject: (handler) => async (request) => {
      const hasToken = request.header('authorization') !== undefined
      return hasToken ? handler(request) : { status: 401, headers: {}, body: '{}' }
    },
  },
  withChangedResponse(
    'returns 401 with WWW-Authenticate without valid credentials',
    /^the response/,
    withoutHeader('www-authenticate'),
  ),
  withChangedRequest(
    'returns 401 for two Authorization headers, although both are valid',
    /^the status/,
    (request) => ({
      header: (name) => request.header(name)?.split(', ')[0],
    }),
  ),
  withChangedResponse(
    'returns 403 without the permission, with the same message for a vault that does not exist',
    /^a vault that does not exist/,
    (response) => ({
      ...response,
      body: bodyText(response).replace(/(0{26}) is not in scope/, '$1 not found'),
    }),
  ),
  withChangedResponse(
    'returns 404 with the type and id of the missing resource',
    /^file no-id/,
    (response) => ({
      ...response,
      body: bodyText(response).replace('file no-id', 'file'),
    }),
  ),
  withChangedRequest(
    'returns 400 for malformed ids, even without the permission',
    /^vault 0+%30/,
    ({ url }) => ({
      url: url.replaceAll('%30', '0'),
    }),
  ),
  withEchoedBody(
    'returns 400 for invalid items, with the path and without the value',
    /^the message must contain/,
  ),
  {
    caseName: 'applies no operation of a patch with an invalid operation, and returns its index',
    message: /^the item afterwards/,
    subject: (handler) => async (request) => {
      if (request.method !== 'PATCH') return handler(request)
      const patch: unknown[] = JSON.parse(await readText(request.body))
      const response = await handler({ ...request, body: { parsed: patch } })
      if (response.status === 400)
        await handler({ ...request, body: { parsed: patch.slice(0, 1) } })
      return response
    },
  },
  withChangedResponse(
    'returns 404 for unknown paths and 405 with Allow for unsupported methods',
    /^PUT/,
    withoutHeader('allow'),
  ),
  withChangedRequest(
    'returns 400 for an inline_files that is not true or false, or is repeated',
    /^inline_files=1/,
    ({ url }) => ({
      url: url.replace('=1', '=true'),
    }),
  ),
  withChangedResponse(
    'sends its headers with every response, including errors',
    /^the header cache-control/,
    (response) => (response.status < 400 ? response : withoutHeader('cache-control')(response)),
  ),
  withChangedResponse(
    'keeps a valid X-Request-Id and replaces an invalid one',
    /^an invalid id is not replaced/,
    (response, request) => ({
      ...response,
      headers: { ...response.headers, 'x-request-id': request.header('x-request-id') ?? 'none' },
    }),
  ),
  withChangedRequest(
    'never resolves an unusual target to another resource',
    /returns 200/,
    ({ url }) => ({
      url: new URL(url, 'http://vault').pathname,
    }),
  ),
  withChangedBody(
    'returns 400 for bodies that are not JSON in UTF-8',
    /^the status for bytes 0/,
    (body) => body.replace('\ufeff', ''),
  ),
  withChangedBody(
    'returns 400 for bodies of more than 32 levels, however many',
    /^100000 levels return/,
    (body) => body.replace(/\[{1000,}\]{1000,}/, '[]'),
  ),
  {
    caseName: 'returns 413 for a body over the limit, declared or counted',
    message: /^the status for counted bytes/,
    subject: (handler) => async (request) => {
      if (request.header('content-length') !== undefined || request.method !== 'POST')
        return handler(request)
      return handler({
        ...request,
        body: { parsed: (await readText(request.body)).slice(0, 1000) },
      })
    },
  },
  withChangedRequest(
    'accepts a body of exactly the limit, whole or chunked',
    /^the status for a whole body/,
    (request) => ({
      header: (name) =>
        name === 'content-length'
          ? `${Number(request.header(name) ?? 0) + 1}`
          : request.header(name),
    }),
  ),
  withChangedRequest(
    'returns 415 for another content type, charset or encoding, and reads a body without a type as JSON',
    /^the status for gzip/,
    (request) => ({
      header: (name) => (name === 'content-encoding' ? undefined : request.header(name)),
    }),
  ),
  withChangedBody(
    'writes nothing when the client disconnects in the middle of a body',
    /^items afterwards/,
    (body) => body,
  ),
  {
    caseName:
      'serves the next request on a connection after a rejected one, whether its body was read or not',
    message: /^the next response/,
    subject: (handler) => {
      let isRejected = false
      return async (request) => {
        if (isRejected) return { status: 400, headers: {}, body: 'the rest of the last body' }
        const response = await handler(request)
        isRejected = response.status === 401
        return response
      }
    },
  },
]
