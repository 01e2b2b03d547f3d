/** A key provider on the transit secrets engine of HashiCorp Vault, or of OpenBao. */

import { fromBase64, toBase64 } from '../envelope/encoding.js'
import { checkKekId, encodeKeyContext, type KeyProvider, kekIdsOf } from './key-provider.js'
import { postToTransit } from './transit/request.js'

/** Where the engine is, and which key wraps. */
export interface TransitOptions {
  /**
   * The origin, such as `https://vault.example.com:8200`. `http:` is accepted only for this machine: `localhost`,
   * 127.0.0.0/8 and `[::1]`.
   */
  readonly address: string
  /**
   * Origins of the cluster's other nodes, in the form of `address`. A node that is on standby may answer 307 or 308; it
   * is followed to `address` and to these origins, at most three times, and nowhere else. None if absent.
   */
  readonly standbys?: readonly string[]
  /**
   * The name of a key of type `aes256-gcm96` or `chacha20-poly1305` that is not derived: letters, digits, `_`, `.` and
   * `-`, but neither `.` nor `..`.
   */
  readonly key: string
  /** Names of keys that data keys may still be wrapped with, in the form of `key`; none if absent. */
  readonly formerKeys?: readonly string[]
  /**
   * The token to ask with, 1 to 8,192 printable ASCII characters without blanks. Asked for before every request, so
   * that it may be renewed.
   */
  token(): string | Promise<string>
  /** The path the engine is mounted at, segments in the form of `key` joined by `/`; `transit` if absent. */
  readonly mount?: string
  /**
   * `fetch` of one's own, with another timeout or certificate; the platform's, with a timeout of 10 s, if absent. It
   * must not follow redirects where `init.redirect` is `manual`: the token and the data key would go with them.
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * Wraps with a key of the engine (`POST /v1/transit/encrypt/:name`, `POST /v1/transit/decrypt/:name`). The context is
 * `associated_data`, which Vault knows since 1.13. The name of the key is stored beside each data key; a stored name
 * that is neither `key` nor one of `formerKeys` is a DecryptionError and is never sent. A wrapped key is the engine's
 * text, `vault:v1:...`, which says the version of the key itself.
 * @throws TypeError if `address` or one of `standbys` is no origin, RangeError if one of them is `http:` on another
 * machine, or if `key`, `formerKeys` or `mount` has another form.
 */
export function createTransitKeyProvider(options: TransitOptions): KeyProvider {
  const { address, standbys = [], key, formerKeys = [], mount = 'transit', token } = options
  const kekIds = kekIdsOf({ key, formerKeys })
  if (!isSegment(key)) throw new RangeError('key must consist of letters, digits, _, . and -')
  if (!kekIds.every(isSegment))
    throw new RangeError('formerKeys must consist of letters, digits, _, . and -')
  if (!mount.split('/').every(isSegment))
    throw new RangeError('mount must be segments of letters, digits, _, . and -, joined by /')
  const origins = [address, ...standbys].map((origin, index) =>
    parseOrigin(index === 0 ? 'address' : 'standbys', origin),
  )

  const ask = async (
    verb: 'encrypt' | 'decrypt',
    kekId: string,
    body: Readonly<Record<string, string>>,
    answer: string,
  ): Promise<string> => {
    const path = `/v1/${mount}/${verb}/${encodeURIComponent(kekId)}`
    const request = { origins, path, token: await token(), body }
    return postToTransit(options.fetch ?? fetch, request, answer)
  }
  return {
    currentKekId: key,
    kekIds,
    async wrap(bytes, context) {
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { plaintext: toBase64(bytes), associated_data }
      return new TextEncoder().encode(await ask('encrypt', key, body, 'ciphertext'))
    },
    async unwrap(kekId, wrapped, context) {
      checkKekId(kekIds, kekId)
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { ciphertext: new TextDecoder().decode(wrapped), associated_data }
      return fromBase64(await ask('decrypt', kekId, body, 'plaintext'))
    },
  }
}

/** Whether the text is one segment of a path, wherever it is put: nothing of it is read as syntax. */
function isSegment(text: string): boolean {
  return /^[\w.-]+$/.test(text) && text !== '.' && text !== '..'
}

/** The origin in its serialized form. The messages name the option and not its value. */
function parseOrigin(option: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new TypeError(`${option} must be an origin, such as https://vault.example.com:8200`)
  const isHere = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isHere)
    throw new RangeError(`${option} must be https:, except on this machine`)
  return url.origin
}
