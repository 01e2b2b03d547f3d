/** The third part of the playground: an SSH key pair. */

import { isVaultError } from 'cofferkit'
import { createSshKeyPair, type SshKeyPair } from 'cofferkit/ssh'
import { useState } from 'preact/hooks'
import { OutcomeBox, Part } from './part.js'

const unsupported =
  'This browser cannot create Ed25519 keys here: it needs a recent version, and a page loaded from https: or from a file.'

/** A key pair, made when the button is pressed. */
export function KeyPart() {
  const [comment, setComment] = useState('deploy@example.com')
  const [pair, setPair] = useState<SshKeyPair>()
  const [error, setError] = useState('')
  const create = async (): Promise<void> => {
    try {
      setPair(await createSshKeyPair({ comment }))
      setError('')
    } catch (problem) {
      setError(isVaultError(problem) ? `${problem.status} ${problem.message}` : unsupported)
    }
  }
  return (
    <Part id="key" heading="Create an SSH key pair" announcement={error || pair?.fingerprint}>
      <div class="columns">
        <div class="stack form">
          <label for="comment">Comment</label>
          <input
            id="comment"
            value={comment}
            autocomplete="off"
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
          <div class="buttons">
            <button type="button" class="primary" onClick={create}>
              Create
            </button>
          </div>
        </div>
        <div class="stack">
          {error !== '' && <p class="problem">{error}</p>}
          {pair && (
            <OutcomeBox isOutdated={error !== ''}>
              <p class="label">Public key</p>
              <pre class="snippet">{pair.publicKey}</pre>
              <p class="label">Fingerprint</p>
              <pre class="snippet">{pair.fingerprint}</pre>
              <p class="label">Private key, not encrypted</p>
              <pre class="snippet">{pair.privateKey}</pre>
            </OutcomeBox>
          )}
        </div>
      </div>
    </Part>
  )
}
