/** A key provider on the transit secrets engine of HashiCorp Vault or OpenBao. */

import {
  anyFunction,
  assertArgument,
  assertCallbacks,
  assertKnown,
  assertLike,
} from '../../../base/assert-argument.js'
import { toBase64 } from '../../../base/base64.js'
import { fromBase64 } from '../envelope/encoding.js'
import { assertKnownKek, encodeKeyContext, type KeyProvider, parseKekIds } from './key-provider.js'
import { postToTransit } from './transit/request.js'

/** The location of the engine, and its keys. */
export interface TransitOptions {
  /**
   * The origin, such as `https://vault.example.com:8200`. `http:` is accepted only for the same
   * machine: `localhost`, 127.0.0.0/8 and `[::1]`.
   */
  readonly address: string
  /**
   * Origins of the other nodes of the cluster, in the form of `address`. A standby node can return
   * 307 or 308. Such a redirect is followed to `address` and to these origins only, at most three
   * times. None if absent.
   */
  readonly standbys?: readonly string[]
  /**
   * The name of a key of type `aes256-gcm96` or `chacha20-poly1305` that is not derived: letters,
   * digits, `_`, `.` and `-`, but neither `.` nor `..`.
   */
  readonly key: string
  /**
   * Names of former keys that may still wrap stored data keys, in the form of `key`. None if absent.
   */
  readonly formerKeys?: readonly string[]
  /**
   * Returns the token, 1 to 8,192 printable ASCII characters without spaces. Called before every
   * request, so that it can be renewed.
   */
  token(): string | Promise<string>
  /**
   * The mount path of the engine: segments in the form of `key`, joined by `/`. `transit` if
   * absent.
   */
  readonly mount?: string
  /**
   * A `fetch` with another timeout or certificate. It must not follow redirects if `init.redirect`
   * is `manual`, because the token and the data key would be sent along. The platform's `fetch` if
   * absent. `init.signal` has a timeout of 10 s. At most 32 KiB of a response are read.
   */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * Creates a key provider that wraps with a key of the engine (`POST /v1/transit/encrypt/:name`,
 * `POST /v1/transit/decrypt/:name`). The context is `associated_data`, which Vault supports since
 * 1.13. The name of the key is stored beside each data key. A stored name that is neither `key` nor
 * one of `formerKeys` is a DecryptionError and is never sent. A wrapped key is the engine's text,
 * `vault:v1:...`, which contains the version of the key.
 *
 * @throws TypeError if `address` or one of `standbys` is not an origin, or if another option has the
 * wrong type.
 * @throws RangeError if an origin is `http:` on another machine, or if `key`, `formerKeys` or
 * `mount` has an invalid format.
 */
export function createTransitKeyProvider(options: TransitOptions): KeyProvider {
  assertKnown<TransitOptions>(options, {
    address: true,
    standbys: true,
    key: true,
    formerKeys: true,
    mount: true,
    token: true,
    fetch: true,
  })
  const { address, standbys = [], key, formerKeys = [], mount = 'transit', token } = options
  assertLike(token, anyFunction, 'options.token')
  assertLike(mount, '', 'options.mount')
  assertArgument(Array.isArray(standbys), 'options.standbys', 'a list of origins')
  assertCallbacks(options, 'fetch')
  const kekIds = parseKekIds({ key, formerKeys })
  if (!isSegment(key)) throw new RangeError('key must consist of letters, digits, _, . and -')
  if (!kekIds.every(isSegment))
    throw new RangeError('formerKeys must consist of letters, digits, _, . and -')
  if (!mount.split('/').every(isSegment))
    throw new RangeError('mount must be segments of letters, digits, _, . and -, joined by /')
  const origins = [address, ...standbys].map((origin, index) =>
    parseOrigin(index === 0 ? 'address' : 'standbys', origin),
  )

  const request = async (
    operation: 'encrypt' | 'decrypt',
    kekId: string,
    body: Readonly<Record<string, string>>,
    resultName: string,
  ): Promise<string> => {
    const path = `/v1/${mount}/${operation}/${encodeURIComponent(kekId)}`
    const transitRequest = { origins, path, token: await token(), body }
    return postToTransit(options.fetch ?? fetch, transitRequest, resultName)
  }
  return {
    currentKekId: key,
    kekIds,
    async wrap(bytes, context) {
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { plaintext: toBase64(bytes), associated_data }
      return new TextEncoder().encode(await request('encrypt', key, body, 'ciphertext'))
    },
    async unwrap(kekId, wrapped, context) {
      assertKnownKek(kekIds, kekId)
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { ciphertext: new TextDecoder().decode(wrapped), associated_data }
      return fromBase64(await request('decrypt', kekId, body, 'plaintext'))
    },
  }
}

/** Returns true if the text is one segment of a path in any position, without special meaning. */
function isSegment(text: string): boolean {
  return /^[\w.-]+$/.test(text) && text !== '.' && text !== '..'
}

/** Returns the origin in its serialized form. Error messages contain the option, not its value. */
function parseOrigin(option: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new TypeError(`${option} must be an origin, such as https://vault.example.com:8200`)
  const isLoopback = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLoopback)
    throw new RangeError(`${option} must be https:, except on the same machine`)
  return url.origin
}
