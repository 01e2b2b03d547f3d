/** `npm run demo` takes a tour of a vault; `npm run demo -- --serve [--port 8787]` leaves one running. */

import { parseArgs } from 'node:util'
import { serve } from './serve.js'
import { tour } from './tour.js'
import { startVault } from './vault.js'

const { values } = parseArgs({ options: { serve: { type: 'boolean' }, port: { type: 'string' } } })
const port = Number(values.port ?? (values.serve ? 8787 : 0))
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  throw new RangeError('--port must be 0 to 65535')

const vault = await startVault(port)
if (values.serve) {
  serve(vault)
} else {
  if (!(await tour(vault))) process.exitCode = 1
  vault.close()
}
