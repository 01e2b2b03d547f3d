/** Starts the page in the element that the server has written. */

import { render } from 'preact'
import { App } from './app.js'

// A page that the browser has kept in memory would still have its data.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload()
})

const root = document.getElementById('app')
if (root !== null) {
  const { title = '', readOnly, extensions, developer, signInUrl = '' } = root.dataset
  const settings = {
    title,
    isReadOnly: readOnly !== 'false',
    hasExtensions: extensions === 'true',
    isDeveloper: developer === 'true',
    signInUrl,
  }
  render(<App settings={settings} />, root)
}
