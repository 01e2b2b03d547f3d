/** Keeps the vault running until it is interrupted, and prints how to call it. */

import { curlLines } from './curl.js'
import { paint, print } from './print.js'
import type { DemoVault } from './vault.js'

/** Prints a curl command for each route. The vault stops at SIGINT or SIGTERM. */
export function serve(vault: DemoVault): void {
  print(`\n${paint('bold', 'cofferkit')}: a vault in an encrypted file, on ${vault.origin}`)
  print(`The file and its key are in ${vault.folder}. Start it again with --folder to keep them.`)
  print(`Published clients can use the same vault on ${vault.clientOrigin}, with the same tokens.`)
  print('The tokens are valid for this run only. Paste any of these commands into a shell.\n')
  for (const { operation, token, status, line } of curlLines(vault)) {
    print(paint('dim', `# ${operation}, with the token of the ${token}: ${status}`), `${line}\n`)
  }
  print('Press Ctrl+C to stop.')
  const stop = (): void => {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
    vault.close().then(() => print('Stopped.'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
