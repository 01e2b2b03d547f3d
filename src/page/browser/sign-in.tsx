/** The page for a caller who is not signed in. */

import type { TargetedSubmitEvent } from 'preact'
import { useState } from 'preact/hooks'
import { useSession } from './session.js'

interface SignInProps {
  /** True if the API accepts bearer tokens. */
  readonly wantsToken: boolean
  /** True if a token was sent. */
  readonly wasRejected: boolean
  /** True if a form is open behind it, which keeps what was typed. */
  readonly isForm: boolean
  /** Called with the token, or with undefined to try the cookies of the browser again. */
  onToken(token: string | undefined): void
}

/** The page for a caller who is not signed in: a form for a token, if one is accepted. */
export function SignIn({ wantsToken, wasRejected, isForm, onToken }: SignInProps) {
  const { signInUrl } = useSession().settings
  const [error, setError] = useState(wasRejected ? 'The service rejected the token.' : '')
  const kept = isForm && <p>What you have typed is kept.</p>
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem('token') as HTMLInputElement
    const token = field.value.trim()
    field.value = ''
    if (/^[\x21-\x7e]+$/.test(token)) return onToken(token)
    setError('A token has only letters, digits and ASCII punctuation.')
    field.focus()
  }
  if (!wantsToken)
    return (
      <main class="card">
        <h2>You are not signed in</h2>
        {kept}
        <p>Sign in to the app that this page belongs to, then try again.</p>
        <div class="buttons">
          {signInUrl !== '' && (
            <a
              class="button primary"
              href={signInUrl}
              {...(isForm && { target: '_blank', rel: 'noopener' })}
            >
              Sign in
            </a>
          )}
          <button
            type="button"
            class={signInUrl === '' ? 'primary' : ''}
            onClick={() => onToken(undefined)}
          >
            Try again
          </button>
        </div>
      </main>
    )
  return (
    <main class="card">
      <h2>Sign in</h2>
      {kept}
      <form onSubmit={submit}>
        <label for="token">Access token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="off"
          spellcheck={false}
          required
          aria-describedby="token-hint"
          aria-invalid={error !== ''}
        />
        <p id="token-hint" class="hint">
          The token stays in the memory of this page. It is forgotten when you reload or lock it.
        </p>
        {error !== '' && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </main>
  )
}
