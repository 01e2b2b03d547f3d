/** Verifies a webhook's signature without showing the secret to the caller. */

import { argumentError } from '../base/argument.js'
import { timingSafeEqual } from '../base/timing-safe-equal.js'
import { NotFoundError, SecretUseError } from '../errors.js'
import { parseSecretReference, type SecretReference } from '../references/secret-reference.js'
import { checkFound, checkSource, runInUse } from './check-found.js'
import type { SecretSource } from './secret-source.js'
import { type ReadWebhook, type ReceivedWebhook, readWebhook } from './webhook-schemes.js'

/**
 * Verifies the signature of a received webhook, in constant time. The activity log records each
 * secret that is tried as one `useField`, with the place `verify:` and the scheme in `use`. The
 * caller needs the same permissions as for `vaultSecrets`. The item needs no URL, because the value
 * is sent nowhere. If the webhook's headers are missing, repeated, malformed or too old, no secret
 * is used and nothing is recorded.
 * @param secrets - Where the secret is: the result of `vaultSecrets`, or your own source.
 * @param reference - The reference of the secret. While you replace the secret, pass a list. The
 * secrets are tried in this order. The first must exist. Others are skipped if they do not exist or
 * are empty.
 * @returns True if the webhook was signed with one of the secrets, and its time is within the
 * tolerance.
 * @throws TypeError or RangeError if an argument is invalid.
 * @throws InvalidInputError (400) if a reference is invalid.
 * @throws SecretUseError (403) if the use is refused, the secret is empty (`TOO_SHORT`), or it is
 * not encoded as the scheme demands (`CHARACTERS`).
 * @throws RuleError (500) if the source fails, and the errors of the source, such as NotFoundError
 * (404), ForbiddenError (403) and UnauthorizedError (401). No error contains a value.
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
    // All signatures are compared, so that the time does not tell which one matches.
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
    throw new SecretUseError('the secret is not encoded as its scheme demands', 'CHARACTERS')
  // Anyone could sign with an empty key.
  if (key.length === 0) throw new SecretUseError('the secret is empty', 'TOO_SHORT')
  const hmac = { name: 'HMAC', hash }
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), hmac, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}
