/**
 * SSH key pairs (Ed25519), and the fields of an item of the category `SSH_KEY`. Needs a runtime
 * whose WebCrypto has Ed25519.
 *
 * @example
 * ```ts
 * import { createSshKeyPair, sshKeyFields } from 'cofferkit/ssh'
 *
 * const pair = await createSshKeyPair({ comment: 'wendy@example.com' })
 * const item = { category: 'SSH_KEY', title: 'Deploy key', fields: sshKeyFields(pair) } as const
 * ```
 * @module cofferkit/ssh
 */

import { like, text } from './base/argument.js'
import { defineOptions, type OptionKinds, optional } from './base/options.js'
import { InvalidInputError } from './errors.js'
import type { FieldDraft } from './schema/field.js'
import { formatKeyPair, type SshKeyPair } from './ssh/openssh-key.js'

export type { SshKeyPair } from './ssh/openssh-key.js'

/** Options of `createSshKeyPair`. */
export interface SshKeyPairOptions {
  /** The comment of both keys: 0 to 1,024 characters without control characters. Default: empty. */
  readonly comment?: string
}

const keyPairOptions = defineOptions({
  comment: optional(text(), ''),
} satisfies OptionKinds<SshKeyPairOptions>)

/**
 * Creates an Ed25519 key pair with the cryptographic generator of the platform.
 * @throws InvalidInputError if the comment is too long or contains a control character. A line
 * break would add a line to files that list public keys.
 * @throws TypeError if `options` is not an object, or the comment is not a string.
 * @example
 * ```ts
 * import { createSshKeyPair, sshKeyFields } from 'cofferkit/ssh'
 *
 * const pair = await createSshKeyPair({ comment: 'deploy@example.com' })
 * const item = { category: 'SSH_KEY', title: 'Deploy', fields: sshKeyFields(pair) } as const
 * console.log(pair.publicKey) // ssh-ed25519 AAAA… deploy@example.com
 * ```
 */
export async function createSshKeyPair(options: SshKeyPairOptions = {}): Promise<SshKeyPair> {
  const { comment } = keyPairOptions.read(options)
  if (/\p{Cc}/u.test(comment))
    throw InvalidInputError.at('comment', 'must not contain control characters')
  if (comment.length > 1024)
    throw InvalidInputError.at('comment', 'must be at most 1024 characters long')
  const keys = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const { privateKey, publicKey } = keys
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey))
  return formatKeyPair({
    // The last 32 bytes of the key in PKCS #8 (RFC 8410, section 7).
    seed: pkcs8.slice(-32),
    publicKey: new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)),
    checkBytes: crypto.getRandomValues(new Uint8Array(4)),
    comment,
  })
}

/**
 * Returns the fields of an item of the category `SSH_KEY`, with the ids that published clients use:
 * `private_key` (concealed), `public_key`, `fingerprint` and `key_type`.
 * @throws TypeError if `pair` is not a key pair, such as the promise of one.
 */
export function sshKeyFields(pair: SshKeyPair): FieldDraft[] {
  like({ privateKey: '', publicKey: '', fingerprint: '' })(pair, 'pair')
  const { privateKey, publicKey, fingerprint } = pair
  return [
    { id: 'private_key', type: 'CONCEALED', label: 'private key', value: privateKey },
    { id: 'public_key', type: 'STRING', label: 'public key', value: publicKey },
    { id: 'fingerprint', type: 'STRING', label: 'fingerprint', value: fingerprint },
    { id: 'key_type', type: 'STRING', label: 'key type', value: 'ed25519' },
  ]
}
