/** A button that asks before it does something that cannot be undone. */

import { useRef } from 'preact/hooks'

interface ConfirmButtonProps {
  readonly text: string
  /** The name for screen readers, if the text is not enough. It begins with the text. */
  readonly label?: string
  readonly question: string
  readonly disabled?: boolean
  onConfirm(): void
}

/** A button that opens a dialog. Escape and *Cancel* close it. */
export function ConfirmButton({ text, label, question, disabled, onConfirm }: ConfirmButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const confirm = (): void => {
    dialog.current?.close()
    onConfirm()
  }
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={label}
        disabled={disabled}
        onClick={() => dialog.current?.showModal()}
      >
        {text}
      </button>
      <dialog ref={dialog} aria-label={text}>
        <p dir="auto">{question}</p>
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger primary" onClick={confirm}>
            {text}
          </button>
        </div>
      </dialog>
    </>
  )
}
