/** Signs a request with an item's values, without putting the values into the request. */

import { callRule } from '../base/rule-error.js'
import { InvalidInputError, RuleError } from '../errors.js'
import type { SentRequest } from './read-request.js'
import type { ItemReference } from './secret-source.js'

/**
 * Signs a request.
 * @param request - A copy without the header `x-cofferkit-sign`, whose body is bytes.
 * @param values - The values of the item by field id.
 * @returns The request that is sent instead. It must have the same origin and method.
 */
export type SignRequest = (
  request: Request,
  values: Readonly<Record<string, string>>,
) => Request | Promise<Request>

/** The header that names a scheme and an item. It is never sent. */
const signHeader = 'x-cofferkit-sign'

/** The signature that a request needs. */
export interface Signature {
  /** A name in the option `sign`. */
  readonly scheme: string
  /** Where the values are used, such as `sign:aws`. */
  readonly name: string
  readonly reference: ItemReference
  /** The reference in canonical form. */
  readonly text: string
}

/**
 * Reads and removes the header of a signature.
 * @param schemes - The names in the option `sign`.
 * @returns Undefined if the request does not have the header.
 * @throws InvalidInputError (400) if the header is invalid, occurs twice, or names another scheme.
 */
export function takeSignature(headers: Headers, schemes: readonly string[]): Signature | undefined {
  const header = headers.get(signHeader)
  if (header === null) return undefined
  headers.delete(signHeader)
  const match = /^([\w.-]+) +op:\/\/([\w. -]+)\/([\w. -]+)$/i.exec(header)
  if (match === null)
    throw InvalidInputError.at(signHeader, 'must have the form: aws op://vault/item')
  const [, scheme = '', vault = '', item = ''] = match
  if (!schemes.includes(scheme))
    throw InvalidInputError.at(signHeader, 'must begin with a name in the option sign')
  return {
    ...{ scheme, name: `sign:${scheme}`, text: `op://${vault}/${item}` },
    reference: { vault, item, all: true },
  }
}

/**
 * Returns the signed request.
 * @throws RuleError if `sign` fails, or returns another origin or method. It does not repeat the
 * message of `sign`.
 */
export async function signRequest(
  { url, headers, body }: SentRequest,
  method: string,
  sign: (request: Request) => Request | Promise<Request>,
): Promise<SentRequest> {
  const bytes = body && new Uint8Array(await new Response(body).arrayBuffer())
  const request = new Request(url, { method, headers, body: bytes ?? null })
  const signed = await callRule('sign', async () => sign(request))
  if (!(signed instanceof Request)) throw new RuleError('sign must return a Request')
  const signedUrl = new URL(signed.url)
  if (signedUrl.origin !== url.origin || signed.method !== method)
    throw new RuleError('sign must return a request of the same origin and method')
  return {
    url: signedUrl,
    headers: signed.headers,
    body: signed.body === null ? undefined : new Uint8Array(await signed.arrayBuffer()),
  }
}
