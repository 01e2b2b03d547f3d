/** A text field for JSON that grows with its text, has line numbers and marks lines. */

import type { RefObject } from 'preact'

interface EditorProps {
  readonly id: string
  readonly label: string
  readonly text: string
  readonly isInvalid: boolean
  /** The id of the element that describes the problem. */
  readonly describedBy: string
  /** The lines that are marked, from 1. */
  readonly markedLines: ReadonlySet<number>
  readonly field: RefObject<HTMLTextAreaElement | null>
  onText(text: string): void
}

/**
 * A text field for JSON. The lines behind it have the same text, so that they give the field its
 * height, and show the numbers and marks.
 */
export function Editor(props: EditorProps) {
  const { id, label, text, isInvalid, describedBy, markedLines, field, onText } = props
  return (
    <div class="editor">
      <label for={id}>{label}</label>
      <div class="sheet">
        <div class="lines" aria-hidden="true">
          {text.split('\n').map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity.
            <div key={index} class={markedLines.has(index + 1) ? 'marked' : undefined}>
              {`${line} `}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          ref={field}
          rows={1}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-invalid={isInvalid}
          aria-describedby={isInvalid ? describedBy : undefined}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
    </div>
  )
}
