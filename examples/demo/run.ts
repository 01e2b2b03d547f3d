/**
 * `npm run demo` runs a tour of a vault.
 * `npm run demo -- --serve [--port 8787] [--folder demo-vault]` starts a vault and keeps it
 * running. Started again with the same folder, it has the same contents.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serve } from './serve.js'
import { tour } from './tour.js'
import { startVault } from './vault.js'

const { values } = parseArgs({
  options: { serve: { type: 'boolean' }, port: { type: 'string' }, folder: { type: 'string' } },
})
const port = Number(values.port ?? (values.serve ? 8787 : 0))
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  throw new RangeError('--port must be 0 to 65535')
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'cofferkit-demo-'))
mkdirSync(folder, { recursive: true })

if (values.serve) {
  serve(await startVault(port, folder))
} else {
  if (!(await tour(() => startVault(port, folder)))) process.exitCode = 1
  if (values.folder === undefined) rmSync(folder, { recursive: true })
}
