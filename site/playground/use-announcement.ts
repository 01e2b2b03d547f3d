/** The text of the live region. */

import { useEffect, useState } from 'preact/hooks'

/** Milliseconds without a change after which a text is announced. */
const quietMs = 1000

/**
 * Returns the text that screen readers announce: `text` when it has not changed for a second, and
 * undefined until `isActive`. So neither opening the page nor typing announces anything.
 */
export function useAnnouncement(text: string, isActive: boolean): string | undefined {
  const [announced, setAnnounced] = useState<string>()
  useEffect(() => {
    if (!isActive) return undefined
    const timer = setTimeout(() => setAnnounced(text), quietMs)
    return () => clearTimeout(timer)
  }, [text, isActive])
  return announced
}
