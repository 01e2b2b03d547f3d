/** One field of an item: its label, its value if it is shown, and buttons. */

import { useEffect, useState } from 'preact/hooks'
import { dots, isConcealed, type PageField } from './concealed.js'
import { computeCode, isOneTimeCode, type OneTimeCode } from './one-time-code.js'
import { useSession } from './session.js'
import { useReveal } from './use-reveal.js'

interface FieldRowProps {
  readonly field: PageField
}

/** A value with more characters is shown in an area that scrolls. */
const maxInlineLength = 300

/** One field. A secret is only in the document while it is shown. */
export function FieldRow({ field }: FieldRowProps) {
  const [isShown, show] = useReveal()
  const label = field.label || field.id
  const value = field.value ?? ''
  if (value !== '' && isOneTimeCode(field)) return <CodeRow label={label} seed={value} />
  const isHidden = isConcealed(field) && !isShown
  return (
    <div class="field">
      <dt dir="auto">{label}</dt>
      <dd>
        {value === '' && <span class="hint">empty</span>}
        {value !== '' && isHidden && (
          <span class="value">
            <span aria-hidden="true">{dots}</span>
            <span class="hidden">hidden</span>
          </span>
        )}
        {value !== '' && !isHidden && <Value label={label} value={value} />}
        {value !== '' && (
          <span class="field-buttons">
            {isConcealed(field) && (
              <button
                type="button"
                class="quiet"
                aria-label={`${isShown ? 'Hide' : 'Show'} ${label}`}
                onClick={() => show(!isShown)}
              >
                {isShown ? 'Hide' : 'Show'}
              </button>
            )}
            <CopyButton label={label} value={value} />
          </span>
        )}
      </dd>
    </div>
  )
}

/** A one-time code with the seconds that are left. Its seed is never in the document. */
function CodeRow({ label, seed }: { readonly label: string; readonly seed: string }) {
  const [current, setCurrent] = useState<OneTimeCode | 'invalid'>()
  useEffect(() => {
    let isOpen = true
    const update = async (): Promise<void> => {
      const code = await computeCode(seed, Date.now())
      if (isOpen) setCurrent(code ?? 'invalid')
    }
    void update()
    const timer = setInterval(update, 1000)
    return () => {
      isOpen = false
      clearInterval(timer)
    }
  }, [seed])
  const { code, seconds } =
    current === undefined || current === 'invalid' ? { code: '', seconds: 0 } : current
  return (
    <div class="field">
      <dt dir="auto">{label}</dt>
      <dd>
        {current === 'invalid' && (
          <span class="hint">
            {isSecureContext ? 'not a valid one-time code' : 'only shown with HTTPS'}
          </span>
        )}
        {code !== '' && (
          <>
            <span class="value code">{code}</span>
            <small> {seconds} s left</small>
            <span class="field-buttons">
              <CopyButton label={label} value={code} />
            </span>
          </>
        )}
      </dd>
    </div>
  )
}

/** Copies a value without showing it. Browsers allow that only with HTTPS and on `localhost`. */
function CopyButton({ label, value }: { readonly label: string; readonly value: string }) {
  const { announce } = useSession()
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value)
      announce(`Copied ${label}.`)
    } catch {
      announce('The browser does not allow copying here.', true)
    }
  }
  return (
    <button type="button" class="quiet" aria-label={`Copy ${label}`} onClick={copy}>
      Copy
    </button>
  )
}

/** A value, always as text. */
function Value({ label, value }: { readonly label: string; readonly value: string }) {
  if (value.length <= maxInlineLength)
    return (
      <span class="value" dir="auto">
        {value}
      </span>
    )
  return <textarea class="value" aria-label={label} dir="auto" rows={8} readOnly value={value} />
}
