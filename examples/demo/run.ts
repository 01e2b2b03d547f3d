/**
 * `npm run demo` runs a tour of a vault.
 * `npm run demo -- --serve [--port 8787] [--folder demo-vault]` starts a vault and keeps it
 * running. Started again with the same folder, it has the same contents.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { curlLines } from './curl.js'
import { paint, print } from './print.js'
import { tour } from './tour.js'
import { type DemoVault, startVault } from './vault.js'

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean' },
    port: { type: 'string' },
    folder: { type: 'string' },
  },
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

/** Prints a curl command for each route. The vault stops at SIGINT or SIGTERM. */
function serve(vault: DemoVault): void {
  print(
    `\n${paint('bold', 'cofferkit')}: a vault in an encrypted file, on ${vault.origin}`,
  )
  print(
    `The file and its key are in ${vault.folder}. Start it again with --folder to keep them.`,
  )
  print(
    `Published clients can use the same vault on ${vault.clientOrigin}, with the same tokens.`,
  )
  print(
    'The tokens are valid for this run only. Paste any of these commands into a shell.\n',
  )
  for (const { operation, token, status, line } of curlLines(vault)) {
    print(
      paint('dim', `# ${operation}, with the token of the ${token}: ${status}`),
      `${line}\n`,
    )
  }
  print('Press Ctrl+C to stop.')
  const stop = (): void => {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
    vault.close().then(() => print('Stopped.'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
