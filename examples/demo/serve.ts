/** Leaves the vault running until it is interrupted, and says how to ask it. */

import { curlLines } from './curl.js'
import { paint, print } from './print.js'
import type { DemoVault } from './vault.js'

/** Prints a curl line for each route; the vault stops at SIGINT or SIGTERM. */
export function serve(vault: DemoVault): void {
  print(`\n${paint('bold', 'cofferkit')}: a vault in an encrypted file, on ${vault.origin}`)
  print(
    `The file and its key are in ${vault.folder}: start it again with --folder, and all is there.`,
  )
  print(`Published clients find the same vault on ${vault.clientOrigin}, with the same tokens.`)
  print(
    'Its tokens were made for this run and end with it. Each line can be pasted into a shell.\n',
  )
  for (const { operation, token, status, line } of curlLines(vault)) {
    print(paint('dim', `# ${operation}, with the token of the ${token}: ${status}`), `${line}\n`)
  }
  print('Ctrl+C stops it.')
  const stop = (): void => {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop)
    vault.close().then(() => print('Stopped.'))
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
