/** The parts of a column: its heading, which gets the focus, its list, and the square before a name. */

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { depthOf, formatRoute, type Route } from './route.js'
import { useSession } from './session.js'

interface PaneProps {
  readonly depth: 0 | 1 | 2
  readonly heading: string
  /** The link at the top. With `isUp` it is only there where the pane that it leads to is not. */
  readonly back?: { readonly text: string; readonly route: Route; readonly isUp?: boolean }
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The number of parts that were visited. The first one does not take the focus. */
let visits = 0
addEventListener('hashchange', () => {
  visits += 1
})

/** A column of the page. */
export function Pane({ depth, heading, back, actions, children }: PaneProps) {
  const { route } = useSession()
  const title = useRef<HTMLHeadingElement>(null)
  // Before the pane is painted: a focus that moved later would take the next key from a field.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the pane appears.
  useLayoutEffect(() => {
    if (visits > 0 && depth === depthOf(route)) title.current?.focus()
  }, [])
  return (
    <section class={`pane depth-${depth}`} aria-labelledby={`pane-${depth}`}>
      {back && (
        <a class={back.isUp ? 'back up' : 'back'} href={formatRoute(back.route)}>
          <span aria-hidden="true">‹ </span>
          {back.text}
        </a>
      )}
      <div class="pane-head">
        <h2 id={`pane-${depth}`} tabIndex={-1} ref={title} dir="auto">
          {heading}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A list of links. The arrow keys move between them. */
export function LinkList({ children, label }: { children: ComponentChildren; label: string }) {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const list = event.currentTarget
    if (step === undefined || !(list instanceof HTMLElement)) return
    const links = [...list.querySelectorAll('a')]
    const index = links.indexOf(document.activeElement as HTMLAnchorElement)
    event.preventDefault()
    links[Math.max(0, Math.min(links.length - 1, index + step))]?.focus()
  }
  return (
    <ul class="links" aria-label={label} onKeyDown={move}>
      {children}
    </ul>
  )
}

/** The state of data that is being read, or could not be read. */
export function Pending({ error }: { readonly error?: Error | undefined }) {
  if (error === undefined) return <p class="hint">Loading…</p>
  return (
    <p class="problem" role="alert">
      {error.message}
    </p>
  )
}

/** The square with the first character of a name. */
export function Tile({ text }: { readonly text: string }) {
  return (
    <span class="tile" aria-hidden="true">
      {[...text.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
