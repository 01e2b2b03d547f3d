/** Verifies the signature of a webhook with a secret that the caller does not see. */

import { argumentError } from '../base/argument.js'
import { timingSafeEqual } from '../base/timing-safe-equal.js'
import { NotFoundError, SecretUseError } from '../errors.js'
import { parseSecretReference, type SecretReference } from '../references/secret-reference.js'
import { checkFound, checkSource, runInUse } from './check-found.js'
import type { SecretSource } from './secret-source.js'
import { type ReadWebhook, type ReceivedWebhook, readWebhook } from './webhook-schemes.js'

/**
 * Verifies the signature of a webhook that was received, in constant time.
 *
 * Each secret that is used is one `useField` in the activity log, whose `use` has the place
 * `verify:` and the scheme. The caller needs what `vaultSecrets` says, and the item needs no URL,
 * because the value is sent nowhere. A webhook whose headers are missing, repeated, malformed or too
 * old uses no secret, and is not recorded.
 * @param secrets - Where the secret is: the result of `vaultSecrets`, or your own source.
 * @param reference - The reference of the secret. While it is replaced, a list: the secrets are tried
 * in this order. The first must exist. Another one that does not exist or is empty is skipped.
 * @returns True if the signature is that of a secret, and the time of the webhook is within the
 * tolerance; false otherwise.
 * @throws TypeError or RangeError if an argument is invalid; InvalidInputError (400) for a reference
 * that is invalid.
 * @throws SecretUseError (403) if the use is refused, or the secret is empty (`TOO_SHORT`) or not
 * encoded as the scheme demands it (`CHARACTERS`); the errors of the source, such as NotFoundError
 * (404), ForbiddenError (403) and UnauthorizedError (401); RuleError (500) if the source fails. None
 * of them contains a value.
 * @example
 * const isGenuine = await verifySignature(secrets, 'op://Team/Stripe/webhook', {
 *   scheme: 'stripe',
 *   payload: await request.text(),
 *   signature: request.headers.get('stripe-signature'),
 * })
 */
export async function verifySignature(
  secrets: SecretSource,
  reference: string | readonly string[],
  webhook: ReceivedWebhook,
): Promise<boolean> {
  checkSource('verifySignature', { secrets, reference, webhook })
  const texts = Array.isArray(reference) ? reference : [reference]
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string'))
    throw argumentError(reference, 'reference', 'a reference, or a list of one or more')
  const references = texts.map(parseSecretReference)
  const read = readWebhook(webhook)
  if (read === undefined) return false
  for (const [index, one] of references.entries())
    if (await hasSigned(secrets, one, { ...read, isOptional: index > 0 })) return true
  return false
}

/** Returns true if the webhook is signed with this secret. */
async function hasSigned(
  secrets: SecretSource,
  reference: SecretReference,
  { isOptional, ...webhook }: ReadWebhook & { readonly isOptional: boolean },
): Promise<boolean> {
  const target = { place: `verify:${webhook.name}` }
  const verify = runInUse(secrets, reference, target, async (find) => {
    const { value, timeLeft } = checkFound(await find(), target)
    if (value === '' && isOptional) return false
    const mac = await sign(webhook, value)
    timeLeft()
    // All of them are compared, so that the time does not tell which one matches.
    return webhook.signatures.filter((signature) => timingSafeEqual(signature, mac)).length > 0
  })
  return verify.catch((error: unknown) => {
    if (isOptional && error instanceof NotFoundError) return false
    throw error
  })
}

async function sign({ hash, message, toKey }: ReadWebhook, secret: string): Promise<Uint8Array> {
  const key = toKey(secret)
  if (key === undefined)
    throw new SecretUseError('the secret is not encoded as its scheme demands it', 'CHARACTERS')
  // With an empty key, everybody could sign.
  if (key.length === 0) throw new SecretUseError('the secret is empty', 'TOO_SHORT')
  const hmac = { name: 'HMAC', hash }
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), hmac, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}
