/** One field in the form of an item. A stored secret is not in the form until it is shown. */

import type { Section } from '../../index.js'
import { isConcealed } from './concealed.js'
import { fieldTypes } from './field-types.js'
import { typeName } from './format.js'
import type { FieldState } from './item-draft.js'
import { isOneTimeCode } from './one-time-code.js'
import { useSession } from './session.js'
import { useReveal } from './use-reveal.js'

const types = Object.keys(fieldTypes)

interface FieldEditorProps {
  readonly field: FieldState
  readonly sections: readonly Section[]
  /** Called with the changed field, or with undefined to remove it. */
  onChange(field: FieldState | undefined): void
}

/** One field in the form of an item. */
export function FieldEditor({ field, sections, onChange }: FieldEditorProps) {
  const set = (changes: Partial<FieldState>): void => onChange({ ...field, ...changes })
  const id = (name: string): string => `${name}-${field.key}`
  const shownTypes = types.includes(field.type) ? types : [field.type, ...types]
  const name = field.label || 'field'
  return (
    <div class="field-editor">
      <div>
        <label for={id('label')}>Label</label>
        <input
          id={id('label')}
          dir="auto"
          value={field.label}
          onInput={({ currentTarget }) => set({ label: currentTarget.value })}
        />
      </div>
      <div>
        <label for={id('type')}>Type</label>
        <select
          id={id('type')}
          value={field.type}
          onChange={({ currentTarget }) => set({ type: currentTarget.value })}
        >
          {shownTypes.map((type) => (
            <option key={type} value={type}>
              {typeName(type)}
            </option>
          ))}
        </select>
      </div>
      {sections.length > 0 && (
        <div>
          <label for={id('section')}>Section</label>
          <select
            id={id('section')}
            value={field.sectionId}
            onChange={({ currentTarget }) => set({ sectionId: currentTarget.value })}
          >
            <option value="">None</option>
            {sections.map((section) => (
              <option key={section.id} value={section.id}>
                {section.label || section.id}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="wide">
        <label for={id('value')}>Value</label>
        <ValueInput id={id('value')} name={name} field={field} set={set} />
      </div>
      <div class="wide buttons">
        {isConcealed(field) && field.purpose !== 'NOTES' && (
          <label class="check">
            <input
              type="checkbox"
              checked={field.isGenerated}
              onChange={({ currentTarget }) => set({ isGenerated: currentTarget.checked })}
            />
            Generate a new value
          </label>
        )}
        <span class="grow" />
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${name}`}
          onClick={() => onChange(undefined)}
        >
          Remove
        </button>
      </div>
    </div>
  )
}

interface ValueInputProps {
  readonly id: string
  readonly name: string
  readonly field: FieldState
  set(changes: Partial<FieldState>): void
}

/**
 * The value. A secret is typed in a password field, unless it is shown. Lines would get lost there,
 * so a secret of several lines has to be shown first.
 */
function ValueInput({ id, name, field, set }: ValueInputProps) {
  const { isDeveloper } = useSession().settings
  const [isShown, show] = useReveal()
  // With the seed, all later codes can be computed: it can only be replaced.
  const isSeed = [field, field.stored].some((one) => one !== undefined && isOneTimeCode(one))
  const canShow = isDeveloper || !isSeed
  const stored = field.stored?.value ?? ''
  const isNote = field.purpose === 'NOTES'
  const isSecret = isConcealed(field) && !(isNote && field.stored === undefined)
  const isOpen = !isSecret || isShown
  const text = field.value ?? stored
  const hasLines = isNote || text.includes('\n') || text.length > 300
  const props = {
    id,
    dir: 'auto',
    spellcheck: false,
    autocomplete: 'off',
    disabled: field.isGenerated || (!isOpen && hasLines),
    placeholder: field.value === undefined ? 'Unchanged' : '',
    value: field.value ?? (isShown ? stored : ''),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      set({ value: currentTarget.value }),
  } as const
  if (!isSecret) return hasLines ? <textarea rows={5} {...props} /> : <input {...props} />
  return (
    <span class="with-button">
      {isOpen ? (
        <textarea rows={hasLines ? 5 : 1} {...props} />
      ) : (
        <input {...props} type="password" />
      )}
      {canShow && (
        <button
          type="button"
          class="quiet"
          disabled={field.isGenerated}
          aria-label={`${isShown ? 'Hide' : 'Show'} ${name}`}
          onClick={() => show(!isShown)}
        >
          {isShown ? 'Hide' : 'Show'}
        </button>
      )}
    </span>
  )
}
