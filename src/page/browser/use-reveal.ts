/** Shows a secret for a short time. */

import { useLayoutEffect, useState } from 'preact/hooks'
import { useSession } from './session.js'

/** Milliseconds until a value is masked again. */
const revealMs = 30_000

/**
 * Returns whether a value is shown, and a function that shows or masks it. It is masked after
 * 30 seconds, by Escape, when the page is hidden, and when the session has ended.
 */
export function useReveal(): readonly [boolean, (isShown: boolean) => void] {
  const { isSignedIn } = useSession()
  const [isShown, setShown] = useState(false)
  useLayoutEffect(() => {
    if (!isShown) return undefined
    if (!isSignedIn) setShown(false)
    const hide = (): void => setShown(false)
    const hideOnEscape = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide()
    }
    const timer = setTimeout(hide, revealMs)
    document.addEventListener('visibilitychange', hide)
    document.addEventListener('keydown', hideOnEscape)
    addEventListener('pagehide', hide)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', hide)
      document.removeEventListener('keydown', hideOnEscape)
      removeEventListener('pagehide', hide)
    }
  }, [isShown, isSignedIn])
  return [isShown, setShown]
}
