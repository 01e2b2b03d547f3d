/** One field of an item: its label, its value if it is shown, and buttons. */

import type { Item } from '../../schema/item.js'
import { dots, isConcealed, type PageField } from './concealed.js'
import { useSession, vaultPath } from './session.js'
import { useReveal } from './use-reveal.js'

interface FieldRowProps {
  readonly field: PageField
  readonly item: Item
}

/** A value with more characters is shown in an area that scrolls. */
const maxInlineLength = 300

/** One field. A secret is only in the document while it is shown. */
export function FieldRow({ field, item }: FieldRowProps) {
  const { api, announce } = useSession()
  const [isShown, show] = useReveal()
  const label = field.label || field.id
  const value = field.totp ?? field.value ?? ''
  const isHidden = isConcealed(field) && !isShown
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await currentValue())
      announce(`Copied ${label}.`)
    } catch {
      announce('The browser does not allow copying here.', true)
    }
  }
  /** A one-time code has changed since the item was read. */
  const currentValue = async (): Promise<string> => {
    if (field.totp === undefined) return value
    const { body } = await api.get(vaultPath(item.vault.id, item.id))
    const fields = (body as { readonly fields: readonly PageField[] }).fields
    return fields.find(({ id }) => id === field.id)?.totp ?? value
  }
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
            {isSecureContext && (
              <button type="button" class="quiet" aria-label={`Copy ${label}`} onClick={copy}>
                Copy
              </button>
            )}
          </span>
        )}
      </dd>
    </div>
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
