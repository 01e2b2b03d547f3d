/** A key provider on the transit secrets engine of HashiCorp Vault or OpenBao. */

import { argumentError, callback, type Kind, kindOf, list } from '../../../base/argument.js'
import { toBase64 } from '../../../base/base64.js'
import { defineOptions, type OptionKinds, optional } from '../../../base/options.js'
import { fromBase64 } from '../envelope/encoding.js'
import { assertKnownKek, encodeKeyContext, type KeyProvider } from './key-provider.js'
import { postToTransit } from './transit/request.js'

/** The location of the engine, and its keys. */
export interface TransitOptions {
  /**
   * The origin, such as `https://vault.example.com:8200`. `http:` is accepted only for the same
   * machine: `localhost`, 127.0.0.0/8 and `[::1]`.
   */
  readonly address: string
  /**
   * Origins of the other nodes of the cluster, in the form of `address`. A standby node may answer
   * 307 or 308. Such a redirect is followed only to `address` and to these origins, at most three
   * times. Default: none.
   */
  readonly standbys?: readonly string[] | undefined
  /**
   * The name of a key of type `aes256-gcm96` or `chacha20-poly1305` that is not derived: letters,
   * digits, `_`, `.` and `-`, but neither `.` nor `..`.
   */
  readonly keyId: string
  /**
   * Names of former keys that may still wrap stored secrets, in the form of `keyId`. Default: none.
   */
  readonly formerKeyIds?: readonly string[] | undefined
  /**
   * Returns the token, 1 to 8,192 printable ASCII characters without spaces. It is called before
   * every request, so that you can renew the token.
   */
  token(): string | Promise<string>
  /**
   * The mount path of the engine: segments in the form of `keyId`, joined by `/`. Default: `transit`.
   */
  readonly mount?: string | undefined
  /**
   * Your own `fetch`, for example with a different timeout or certificate. It must not follow
   * redirects if `init.redirect` is `manual`, because the token and the secret would be sent
   * along. `init.signal` has a timeout of 10 s. At most 32 KiB of a response are read. Default: the
   * platform's `fetch`.
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Returns the origin in its serialized form. */
const origin: Kind<string> = (address, path) => {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw argumentError(address, path, 'an origin, such as https://vault.example.com:8200')
  const isLoopback = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLoopback)
    throw new RangeError(`${path} must be https:, except on the same machine`)
  return url.origin
}

/** Returns true for one segment of a path in any position, without special meaning. */
const isSegment = (value: unknown): boolean =>
  typeof value === 'string' && /^(?!\.{1,2}$)[\w.-]{1,2048}$/.test(value)

const keyName = kindOf<string>('1 to 2,048 letters, digits, _, . and -', isSegment)

const mountPath = kindOf<string>(
  'segments of letters, digits, _, . and -, joined by /',
  (value) => typeof value === 'string' && value.split('/').every(isSegment),
)

const transitOptions = defineOptions({
  address: origin,
  standbys: optional(list('a list of origins', origin), []),
  keyId: keyName,
  formerKeyIds: optional(list('a list of names', keyName), []),
  token: callback(),
  mount: optional(mountPath, 'transit'),
  fetch: optional(callback(), (url: string, init: RequestInit) => globalThis.fetch(url, init)),
} satisfies OptionKinds<TransitOptions>)

/**
 * Creates a key provider that wraps with a key of the engine (`POST /v1/transit/encrypt/:name`,
 * `POST /v1/transit/decrypt/:name`). The context is `associated_data`, which Vault supports since
 * 1.13. The name of the key is stored in each key ring. If a stored name is neither `keyId`
 * nor one of `formerKeyIds`, unwrapping fails with a DecryptionError, and the name is never sent. A
 * wrapped key is the engine's string, `vault:v1:...`, which contains the version of the key.
 *
 * @throws TypeError if `address` or one of `standbys` is not an origin, or if another option has the
 * wrong type or format.
 * @throws RangeError if an origin is `http:` on another machine.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { createTransitKeyProvider } from 'cofferkit/encrypted'
 *
 * const keys = createTransitKeyProvider({
 *   address: 'https://vault.example.com:8200',
 *   keyId: 'cofferkit',
 *   token: async () => (await readFile('/run/secrets/vault-token', 'utf8')).trim(),
 * })
 * ```
 */
export function createTransitKeyProvider(options: TransitOptions): KeyProvider {
  const { standbys, keyId, formerKeyIds, token, mount, fetch, ...settings } =
    transitOptions.read(options)
  const kekIds = [...new Set([keyId, ...formerKeyIds])]
  const origins = [settings.address, ...standbys]

  const request = async (
    operation: 'encrypt' | 'decrypt',
    kekId: string,
    body: Readonly<Record<string, string>>,
    resultName: string,
  ): Promise<string> => {
    const path = `/v1/${mount}/${operation}/${encodeURIComponent(kekId)}`
    const transitRequest = { origins, path, token: await token(), body }
    return postToTransit(fetch, transitRequest, resultName)
  }
  return {
    currentKekId: keyId,
    kekIds,
    async wrap(bytes, context) {
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { plaintext: toBase64(bytes), associated_data }
      return new TextEncoder().encode(await request('encrypt', keyId, body, 'ciphertext'))
    },
    async unwrap(kekId, wrapped, context) {
      assertKnownKek(kekIds, kekId)
      const associated_data = toBase64(encodeKeyContext(context))
      const body = { ciphertext: new TextDecoder().decode(wrapped), associated_data }
      return fromBase64(await request('decrypt', kekId, body, 'plaintext'))
    },
  }
}
