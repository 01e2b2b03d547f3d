/** Starts the playground. */

import { render } from 'preact'
import { App } from './app.js'
import { applyTheme } from './theme.js'

applyTheme()
const root = document.getElementById('playground')
if (root !== null) {
  root.textContent = ''
  render(<App />, root)
}
