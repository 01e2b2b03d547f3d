/** How webhooks are signed: what a signature looks like, and which bytes it signs. */

import {
  argumentError,
  clock,
  isBareObject,
  type Kind,
  kindOf,
  limit,
  object,
  oneOf,
  text,
} from '../base/argument.js'
import { decodeBase64, fromBase64Url, isBase64 } from '../base/base64.js'
import { concatBytes } from '../base/concat-bytes.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { fromHex } from '../base/to-hex.js'

/**
 * The value of a header as frameworks return it. Null or undefined if there is no such header. A
 * list of more than one value is never valid.
 */
export type HeaderValue = string | readonly string[] | null | undefined

/** Any scheme in which the signature is an HMAC of the payload alone. */
export interface HmacScheme {
  /** Default: `SHA-256`. */
  readonly hash?: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512' | undefined
  /** How the signature is encoded: base64 with padding, base64url without. Default: `hex`. */
  readonly encoding?: 'hex' | 'base64' | 'base64url' | undefined
  /** The prefix of the signature, such as `sha256=`. Default: none. */
  readonly prefix?: string | undefined
  /**
   * How the secret is written: `text` is its characters in UTF-8, the others are encodings.
   * Default: `text`.
   */
  readonly secret?: 'text' | 'hex' | 'base64' | undefined
}

/** The members of every webhook. */
interface SignedPayload {
  /**
   * The body as you received it: its bytes, or the string decoded from them as UTF-8. Do not pass a
   * body that was parsed and serialized again, because its bytes differ.
   */
  readonly payload: Uint8Array | ArrayBuffer | string
  /** The header with the signature. If it is missing, the result is false. */
  readonly signature: HeaderValue
}

/** How old a webhook may be. */
interface Tolerance {
  /**
   * How many seconds the webhook's time may differ from the clock, in both directions: 0 or more,
   * or Infinity for any time. Default: 300.
   */
  readonly toleranceSeconds?: number | undefined
  /** The clock. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

/** A webhook of GitHub (`X-Hub-Signature-256`), or of an HMAC scheme. */
export interface PlainWebhook extends SignedPayload {
  readonly scheme: 'github' | HmacScheme
}

/** A webhook of Stripe (`Stripe-Signature`). */
export interface StripeWebhook extends SignedPayload, Tolerance {
  readonly scheme: 'stripe'
}

/** A webhook of Slack (`X-Slack-Signature`). */
export interface SlackWebhook extends SignedPayload, Tolerance {
  readonly scheme: 'slack'
  /** The header `X-Slack-Request-Timestamp`. */
  readonly timestamp: HeaderValue
}

/** A webhook of a provider that follows Standard Webhooks (`webhook-signature`, `svix-signature`). */
export interface StandardWebhook extends SignedPayload, Tolerance {
  readonly scheme: 'standard-webhooks'
  /** The header `webhook-id` or `svix-id`. */
  readonly id: HeaderValue
  /** The header `webhook-timestamp` or `svix-timestamp`. */
  readonly timestamp: HeaderValue
}

/** A webhook that was received. The scheme says which headers it needs besides the signature. */
export type ReceivedWebhook = PlainWebhook | StripeWebhook | SlackWebhook | StandardWebhook

/** A webhook, as its scheme reads it. */
export interface ReadWebhook {
  /** Names the scheme in the activity log. */
  readonly name: string
  readonly hash: string
  /** The bytes that are signed. */
  readonly message: Uint8Array<ArrayBuffer>
  /** The signatures, of which one must match. */
  readonly signatures: readonly Uint8Array[]
  /** Returns the key that a secret encodes, or undefined if the secret is not encoded so. */
  toKey(secret: string): Uint8Array | undefined
}

/** The maximum number of characters of a header. */
const maxHeaderLength = 8192

const isHeader = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every((one) => typeof one === 'string')
    : value === null || value === undefined || typeof value === 'string'

/** A header. It must be passed, even as undefined, because the scheme needs it. */
const header: Kind<HeaderValue> = (value, path, owner = {}) => {
  if (isHeader(value) && path.slice(path.lastIndexOf('.') + 1) in owner) return value
  throw argumentError(value, path, 'the value of a header, or undefined if it has none')
}

const signed = {
  payload: kindOf<SignedPayload['payload']>(
    'the body as it was received: a Uint8Array, an ArrayBuffer or a string',
    (value) =>
      typeof value === 'string' || value instanceof Uint8Array || value instanceof ArrayBuffer,
  ),
  signature: header,
}
const tolerance = {
  toleranceSeconds: optional(limit({ min: 0 }), 300),
  now: optional(clock, () => new Date()),
}

const hmacOptions = defineOptions({
  hash: optional(oneOf('SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'), 'SHA-256'),
  encoding: optional(oneOf('hex', 'base64', 'base64url'), 'hex'),
  prefix: optional(text(), ''),
  secret: optional(oneOf('text', 'hex', 'base64'), 'text'),
} satisfies OptionKinds<HmacScheme>)
const hashBytes = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 }
const github: HmacScheme = { prefix: 'sha256=' }

const plainOptions = defineOptions({
  ...{ ...signed, scheme: (value: PlainWebhook['scheme']) => value },
} satisfies OptionKinds<PlainWebhook>)
const stripeOptions = defineOptions({
  ...{ ...signed, ...tolerance, scheme: oneOf('stripe') },
} satisfies OptionKinds<StripeWebhook>)
const slackOptions = defineOptions({
  ...{ ...signed, ...tolerance, scheme: oneOf('slack'), timestamp: header },
} satisfies OptionKinds<SlackWebhook>)
const standardOptions = defineOptions({
  ...{ ...signed, ...tolerance, scheme: oneOf('standard-webhooks') },
  ...{ id: header, timestamp: header },
} satisfies OptionKinds<StandardWebhook>)

/**
 * Reads a webhook.
 * @returns Undefined if a header is missing, repeated, malformed or too long, or the time differs too
 * much. None of this depends on the secret.
 * @throws TypeError or RangeError if an option is invalid.
 */
export function readWebhook(webhook: ReceivedWebhook): ReadWebhook | undefined {
  object()(webhook, 'webhook')
  switch (webhook.scheme) {
    case 'stripe':
      return readStripe(webhook)
    case 'slack':
      return readSlack(webhook)
    case 'standard-webhooks':
      return readStandard(webhook)
    case 'github':
      return readHmac('github', github, webhook)
    default:
      if (isBareObject(webhook.scheme)) return readHmac('hmac', webhook.scheme, webhook)
      throw argumentError(
        webhook.scheme,
        'webhook.scheme',
        'stripe, slack, github, standard-webhooks or an object with hash, encoding, prefix, secret',
      )
  }
}

function readHmac(
  name: string,
  scheme: HmacScheme,
  webhook: PlainWebhook,
): ReadWebhook | undefined {
  const { payload, signature } = plainOptions.read(webhook, 'webhook')
  const { hash, encoding, prefix, secret } = hmacOptions.read(scheme, 'webhook.scheme')
  const text = onlyValue(signature)
  if (text?.startsWith(prefix) !== true) return undefined
  const bytes = decoders[encoding](text.slice(prefix.length))
  const toKey = decoders[secret]
  return toRead({ name, hash, toKey, message: toMessage('', payload), signatures: [bytes] })
}

/** `t=1700000000,v1=<hex>`, with a `v1` for each secret while Stripe replaces one. */
function readStripe(webhook: StripeWebhook): ReadWebhook | undefined {
  const options = stripeOptions.read(webhook, 'webhook')
  const pairs = (onlyValue(options.signature) ?? '').split(',').map((one) => one.trim().split('='))
  const valuesOf = (name: string) =>
    pairs.flatMap(([key, value, ...others]) =>
      key === name && value !== undefined && others.length === 0 ? [value] : [],
    )
  const seconds = onlyValue(valuesOf('t'))
  if (!isInTime(seconds, options)) return undefined
  return toRead({
    ...{ name: 'stripe', toKey: decoders.text },
    message: toMessage(`${seconds}.`, options.payload),
    signatures: valuesOf('v1').map(decoders.hex),
  })
}

/** `v0=<hex>`. */
function readSlack(webhook: SlackWebhook): ReadWebhook | undefined {
  const options = slackOptions.read(webhook, 'webhook')
  const seconds = onlyValue(options.timestamp)
  const signature = onlyValue(options.signature)
  if (!isInTime(seconds, options) || signature?.startsWith('v0=') !== true) return undefined
  return toRead({
    ...{ name: 'slack', toKey: decoders.text },
    message: toMessage(`v0:${seconds}:`, options.payload),
    signatures: [decoders.hex(signature.slice('v0='.length))],
  })
}

/** `v1,<base64> v1,<base64>`, and other versions that need a public key. */
function readStandard(webhook: StandardWebhook): ReadWebhook | undefined {
  const options = standardOptions.read(webhook, 'webhook')
  const seconds = onlyValue(options.timestamp)
  const id = onlyValue(options.id)
  // With a dot in it, a different id and time would have the same signature.
  if (id === undefined || !/^[^.]+$/.test(id) || !isInTime(seconds, options)) return undefined
  const signatures = (onlyValue(options.signature) ?? '').split(' ')
  if (!signatures.every((one) => /^\w+,[^,]+$/.test(one))) return undefined
  return toRead({
    name: 'standard-webhooks',
    toKey: (secret) => decoders.base64(secret.replace(/^whsec_/, '')),
    message: toMessage(`${id}.${seconds}.`, options.payload),
    signatures: signatures.flatMap((one) =>
      one.startsWith('v1,') ? [decoders.base64(one.slice('v1,'.length))] : [],
    ),
  })
}

/** Returns undefined if no signature has the length of the hash. */
function toRead({
  signatures,
  hash = 'SHA-256',
  ...webhook
}: Omit<ReadWebhook, 'signatures' | 'hash'> & {
  readonly hash?: keyof typeof hashBytes
  readonly signatures: readonly (Uint8Array | undefined)[]
}): ReadWebhook | undefined {
  const valid = signatures.filter((one) => one?.length === hashBytes[hash]) as Uint8Array[]
  return valid.length === 0 ? undefined : { ...webhook, hash, signatures: valid }
}

/** Returns the value of a header that occurs once. */
function onlyValue(given: HeaderValue): string | undefined {
  const [value, ...others] = typeof given === 'string' ? [given] : (given ?? [])
  return others.length === 0 && value !== undefined && value.length <= maxHeaderLength
    ? value
    : undefined
}

/** Returns true for a time in seconds since 1970 that the tolerance allows. */
function isInTime(
  seconds: string | undefined,
  { toleranceSeconds, now }: { readonly toleranceSeconds: number; readonly now: () => Date },
): seconds is string {
  if (seconds === undefined || !/^\d{1,12}$/.test(seconds)) return false
  return Math.abs(now().getTime() / 1000 - Number(seconds)) <= toleranceSeconds
}

function toMessage(prefix: string, payload: SignedPayload['payload']): Uint8Array<ArrayBuffer> {
  const bytes = typeof payload === 'string' ? encode(payload) : new Uint8Array(payload)
  return concatBytes([encode(prefix), bytes])
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** They return undefined if a string is not encoded so. */
const decoders = {
  text: encode,
  hex: fromHex,
  base64: (text: string) => (isBase64(text) ? decodeBase64(text) : undefined),
  base64url: fromBase64Url,
}
