/** Mounts with one defect each, and the case of the contract that sees it. */

import type { HttpResponse } from '../../../src/http/message.js'
import {
  answers,
  asks,
  type Breaking,
  type BrokenTwin,
  echoes,
  reads,
  text,
  textOf,
  without,
} from '../broken-variant.js'

/** One for every case of `httpContract`. */
export const brokenMounts: readonly BrokenTwin<Breaking>[] = [
  answers(
    'creates an item, and answers it with its version as the ETag',
    /^the answer/,
    without('etag'),
  ),
  answers('answers a vault, its items and an item', /^the list/, (response) => ({
    ...response,
    body: text(response).replaceAll('"favorite":false,', ''),
  })),
  answers('replaces an item', /^the ETag/, (response, { method }) => ({
    ...response,
    headers: { ...response.headers, ...(method === 'PUT' && { etag: '"3"' }) },
  })),
  reads(
    'patches a field by its id, and answers an empty patch with the item as it is',
    /^the item after an empty patch/,
    (body) => (body === '[]' ? '[{"op":"add","path":"/tags/-","value":"x"}]' : body),
  ),
  answers(
    'deletes an item with 204 and no body, after which it is not found',
    /^the answer/,
    (response) => (response.status === 204 ? { ...response, status: 200, body: '{}' } : response),
  ),
  asks(
    'answers file details without content, and with it when that is asked for',
    /^the details, inlined/,
    ({ url }) => ({ url: url.replace(/\?.*/, '') }),
  ),
  answers(
    'answers 413 for a file that is too large to inline, and names where to download it',
    /^the message/,
    (response) => ({ ...response, body: text(response).replace('/v1/', '/') }),
  ),
  answers(
    'streams the content of a file from its content_path, as octets to be saved under its name',
    /^the headers/,
    without('content-disposition'),
  ),
  asks(
    'takes a trailing slash and a doubled leading one for the same place',
    /^a doubled leading slash/,
    (request) => (request.url.startsWith('//') ? { url: request.url.slice(2) } : {}),
  ),
  answers(
    'answers HEAD as GET, without the body',
    /^the header content-length/,
    without('content-length'),
  ),
  asks('changes only the version that If-Match names', /^the status for W/, (request) => ({
    header: (name) => request.header(name)?.replace(/^W\//, ''),
  })),
  {
    caught: 'loses none of 64 concurrent patches of one item',
    seen: /^tags/,
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
    caught: 'lists the vaults that the caller may read, and no others',
    seen: /^the vaults of the writer/,
    subject: (handler) => {
      const cache = new Map<string, HttpResponse>()
      return async (request) => {
        const answer = cache.get(request.url) ?? (await handler(request))
        cache.set(request.url, answer)
        return answer
      }
    },
  },
  asks(
    'lists the files of an item, with the contents that are small enough when asked',
    /^the files, inlined/,
    ({ url }) => ({ url: url.replace(/\?.*/, '') }),
  ),
  asks(
    'finds what a filter asks for, however it is escaped, and answers 400 to one it cannot read',
    /^as a part of a URL/,
    ({ url }) => ({ url: decodeURIComponent(url) }),
  ),
  answers(
    'answers a part of the activity log with its Content-Range',
    /^the header content-range/,
    without('content-range'),
  ),
  {
    caught:
      'says to whoever asks that it is there, that its store is well, and what it has answered',
    seen: /^the heartbeat/,
    subject: (handler) => async (request) => {
      const isKnown = request.header('authorization') !== undefined
      return isKnown ? handler(request) : { status: 401, headers: {}, body: '{}' }
    },
  },
  answers(
    'answers 401 with WWW-Authenticate to whom it does not know',
    /^the answer/,
    without('www-authenticate'),
  ),
  asks(
    'answers 401 to two Authorization headers, though both are right',
    /^the status/,
    (request) => ({
      header: (name) => request.header(name)?.split(', ')[0],
    }),
  ),
  answers(
    'answers 403 without the right, in the same words whether or not the vault is there',
    /^a vault that is not there/,
    (response) => ({
      ...response,
      body: text(response).replace(/(0{26}) is not in scope/, '$1 not found'),
    }),
  ),
  answers('answers 404 for what is not there, and names it', /^file no-id/, (response) => ({
    ...response,
    body: text(response).replace('file no-id', 'file'),
  })),
  asks('answers 400 to malformed ids, also to whom is not let in', /^vault 0+%30/, ({ url }) => ({
    url: url.replaceAll('%30', '0'),
  })),
  echoes(
    'answers 400 to bodies that are no item, and says where without saying what',
    /^the message names/,
  ),
  {
    caught: 'applies no operation of a patch of which one is bad, and names that one',
    seen: /^the item afterwards/,
    subject: (handler) => async (request) => {
      if (request.method !== 'PATCH') return handler(request)
      const patch: unknown[] = JSON.parse(await textOf(request.body))
      const answer = await handler({ ...request, body: { parsed: patch } })
      if (answer.status === 400) await handler({ ...request, body: { parsed: patch.slice(0, 1) } })
      return answer
    },
  },
  answers(
    'answers 404 to unknown paths and 405 with Allow to methods that a path does not have',
    /^PUT/,
    without('allow'),
  ),
  asks(
    'answers 400 to an inline_files that is neither true nor false, or given twice',
    /^inline_files=1/,
    ({ url }) => ({
      url: url.replace('=1', '=true'),
    }),
  ),
  answers(
    'sends its headers with every answer, errors too',
    /^the header cache-control/,
    (response) => (response.status < 400 ? response : without('cache-control')(response)),
  ),
  answers(
    'keeps a good X-Request-Id and replaces a bad one',
    /^a bad id is replaced/,
    (response, request) => ({
      ...response,
      headers: { ...response.headers, 'x-request-id': request.header('x-request-id') ?? 'none' },
    }),
  ),
  asks('never takes an odd target for another resource', /is answered with 200/, ({ url }) => ({
    url: new URL(url, 'http://vault').pathname,
  })),
  reads('answers 400 to bodies that are no JSON in UTF-8', /^the status for body 7/, (body) =>
    body.replace('\ufeff', ''),
  ),
  reads('answers 400 to a body of more than 32 levels, however many', /^100000 levels/, (body) =>
    body.replace(/\[{1000,}\]{1000,}/, '[]'),
  ),
  {
    caught: 'answers 413 to a body over the limit, announced or counted',
    seen: /^the status for counted bytes/,
    subject: (handler) => async (request) => {
      if (request.header('content-length') !== undefined || request.method !== 'POST')
        return handler(request)
      return handler({ ...request, body: { parsed: (await textOf(request.body)).slice(0, 1000) } })
    },
  },
  asks(
    'takes a body of exactly the limit, in one piece or in many',
    /^the status for one piece/,
    (request) => ({
      header: (name) =>
        name === 'content-length'
          ? `${Number(request.header(name) ?? 0) + 1}`
          : request.header(name),
    }),
  ),
  asks(
    'answers 415 to another content type, charset or encoding, and reads a body without a type as JSON',
    /^the status for gzip/,
    (request) => ({
      header: (name) => (name === 'content-encoding' ? undefined : request.header(name)),
    }),
  ),
  reads(
    'writes nothing when the client hangs up in the middle of a body',
    /^items afterwards/,
    (body) => body,
  ),
  {
    caught: 'answers the next request of a connection after each refusal, read or unread',
    seen: /^the answer after it/,
    subject: (handler) => {
      let refused = false
      return async (request) => {
        if (refused) return { status: 400, headers: {}, body: 'the rest of the body before' }
        const answer = await handler(request)
        refused = answer.status === 401
        return answer
      }
    },
  },
]
