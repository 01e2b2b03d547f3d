/** The whole playground. */

import { GeneratePart } from './generate-part.js'
import { KeyPart } from './key-part.js'
import { PatchPart } from './patch-part.js'

const links = [
  ['index.html', 'Docs'],
  ['documents/patching.html', 'Patching'],
  ['documents/generating.html', 'Generating'],
  ['documents/errors.html', 'Errors'],
] as const

/** The header and the parts. */
export function App() {
  return (
    <>
      <header class="top">
        <p class="name">
          <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
            <rect x="2.5" y="5.5" width="19" height="14" rx="3.5" class="mark" />
            <circle cx="12" cy="11.4" r="2.1" class="hole" />
            <path d="M12 12.5v3.6" class="hole" />
          </svg>
          cofferkit
        </p>
        <nav aria-label="Documentation">
          {links.map(([href, text]) => (
            <a key={href} href={href}>
              {text}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <div class="intro">
          <h1>Playground</h1>
          <p>
            This is cofferkit itself: <code>createVaultService</code> with the store in memory, in
            your browser. There is no server. What you type stays in this tab: the page sends
            nothing, saves nothing, and its security policy forbids every request.
          </p>
        </div>
        <PatchPart />
        <GeneratePart />
        <KeyPart />
      </main>
    </>
  )
}
