/** Finds method overrides in a request. */

import { concatBytes } from '../base/concat-bytes.js'
import { parseJson } from '../base/parse-json.js'

/** The members of a request that can name another method. */
interface NamingRequest {
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined
}

/**
 * Returns true if the query or the body names another method in a way that frameworks understand,
 * such as a member `_method` in a form or in JSON. A body without a type may be a form.
 */
export function hasMethodOverride({ url, headers, body }: NamingRequest): boolean {
  const names = findFormNames(url.search.slice(1))
  if (body instanceof Uint8Array) names.push(...findBodyNames(toType(headers), body))
  return names.some((name) => methodName.test(name))
}

/**
 * Passes a body on as it arrives. If it names another method, the stream fails instead of ending,
 * and a server does not act on an incomplete body. Forms and JSON are buffered for this check.
 * Other bodies are not looked at.
 * @param refuse - Called before the stream fails.
 */
export function watchMethod(
  body: ReadableStream<Uint8Array>,
  headers: Headers,
  refuse: () => Error,
): ReadableStream<Uint8Array> {
  const type = toType(headers)
  if (!namingTypes.test(type)) return body
  const kept: Uint8Array[] = []
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        kept.push(chunk)
        controller.enqueue(chunk)
      },
      flush() {
        if (findBodyNames(type, concatBytes(kept)).some((name) => methodName.test(name)))
          throw refuse()
      },
    }),
  )
}

/** The types of bodies that have names. */
const namingTypes = /form-urlencoded|multipart|json/

function toType(headers: Headers): string {
  return headers.get('content-type')?.toLowerCase() ?? 'form-urlencoded'
}

function findBodyNames(type: string, body: Uint8Array): readonly string[] {
  const text = namingTypes.test(type) ? new TextDecoder().decode(body) : ''
  const names = type.includes('form-urlencoded') ? findFormNames(text) : []
  const root = type.includes('json') ? parseJson(text) : undefined
  if (typeof root === 'object' && root !== null) names.push(...Object.keys(root))
  // The names of parts, including those encoded as in RFC 5987.
  const parts = type.includes('multipart')
    ? text.matchAll(/\bname\*?\s*=\s*(?:"([^"]*)"|([^;\s]+))/gi)
    : []
  for (const [, quoted, name = ''] of parts)
    names.push(decodeEscapes(quoted ?? name.replace(/^[\w-]*'[^']*'/, '')))
  return names
}

/** PHP reads a dot, a space and a bracket in a name as `_`, and skips leading spaces. */
const methodName = /^\s*(?:[_.\s[]method|x[-_](?:http[-_])?method(?:[-_]override)?)(?:$|[[\0])/i

/** Returns the names of a form. Some servers separate its fields by semicolons. */
function findFormNames(text: string): string[] {
  return text.split(/[&;]/).flatMap((field) => [...new URLSearchParams(field).keys()])
}

/** Decodes the percent escapes of UTF-8 in a text, and keeps all others. */
export function decodeEscapes(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
