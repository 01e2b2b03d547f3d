/** A part of the playground. */

import type { ComponentChildren } from 'preact'

interface PartProps {
  readonly id: string
  readonly heading: string
  /** The text for screen readers. */
  readonly announcement: string | undefined
  readonly children: ComponentChildren
}

/** A part with its heading, its content and its live region. */
export function Part({ id, heading, announcement, children }: PartProps) {
  return (
    <section class="part" aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`}>{heading}</h2>
      {children}
      <p role="status" class="hidden">
        {announcement}
      </p>
    </section>
  )
}

interface OutcomeBoxProps {
  /** True if the last attempt failed, so that the outcome is an earlier one. */
  readonly isOutdated: boolean
  readonly children: ComponentChildren
}

/** The outcome of a part. */
export function OutcomeBox({ isOutdated, children }: OutcomeBoxProps) {
  return <div class={isOutdated ? 'outcome outdated' : 'outcome'}>{children}</div>
}
