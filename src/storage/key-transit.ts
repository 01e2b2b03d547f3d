/** A key provider on the transit secrets engine of HashiCorp Vault, or of OpenBao. */

import { DecryptionError, memberOf } from '../errors.js'
import { fromBase64, toBase64 } from './encrypted-base64.js'
import { encodeKeyContext, type KeyProvider } from './key-provider.js'

/** Where the engine is, and which key wraps. */
export interface TransitOptions {
  /** The origin, such as `https://vault.example.com:8200`. */
  readonly address: string
  /** The name of a key of type `aes256-gcm96` or `chacha20-poly1305` that is not derived. */
  readonly key: string
  /** The token to ask with. Asked for before every request, so that it may be renewed. */
  token(): string | Promise<string>
  /** The path the engine is mounted at; `transit` if absent. */
  readonly mount?: string
  /** `fetch` of one's own, with another timeout or certificate; the platform's, with a timeout of 10 s, if absent. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** What the engine says when ciphertext, key and associated data do not belong together; with 500 in older versions. */
const refusal = /message authentication failed|invalid ciphertext|unable to decrypt/

/**
 * Wraps with a key of the engine (`POST /v1/transit/encrypt/:name`, `POST /v1/transit/decrypt/:name`). The context is
 * `associated_data`, which Vault knows since 1.13. The name of the key is stored beside each data key; a wrapped key is
 * the engine's text, `vault:v1:...`, which says the version of the key itself.
 */
export function transitKeyProvider(options: TransitOptions): KeyProvider {
  return {
    currentKekId: options.key,
    async wrap(key, context) {
      const body = {
        plaintext: toBase64(key),
        associated_data: toBase64(encodeKeyContext(context)),
      }
      return new TextEncoder().encode(
        await ask(options, `encrypt/${options.key}`, body, 'ciphertext'),
      )
    },
    async unwrap(kekId, wrapped, context) {
      const ciphertext = new TextDecoder().decode(wrapped)
      const body = { ciphertext, associated_data: toBase64(encodeKeyContext(context)) }
      return fromBase64(await ask(options, `decrypt/${kekId}`, body, 'plaintext'))
    },
  }
}

/** A member of the `data` that the engine answers. */
async function ask(
  { address, mount = 'transit', token, fetch: send = fetch }: TransitOptions,
  path: string,
  body: Readonly<Record<string, string>>,
  member: string,
): Promise<string> {
  const response = await send(`${address}/v1/${mount}/${path}`, {
    method: 'POST',
    headers: { 'X-Vault-Token': await token(), 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  const text = await response.text()
  if (!response.ok) throw refusal.test(text) ? new DecryptionError() : statusError(response.status)
  const answer = memberOf(memberOf(JSON.parse(text), 'data'), member)
  if (typeof answer !== 'string') throw new Error('the transit engine has answered something else')
  return answer
}

/** An error whose code is all that is said of the answer. */
function statusError(status: number): Error {
  return Object.assign(new Error('the transit engine refuses'), { code: `HTTP_${status}` })
}
