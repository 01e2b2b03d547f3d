/** The command `relay`: passes requests of other processes on to APIs, with secrets of a store. */

import { buildCommand } from '@stricli/core'
import { exitCodeOf } from './command-error.js'
import type { CommandLine } from './command-line.js'
import type { RelayFlags } from './relay/serve-relay.js'
import { findAddress, findToken, listenToSignals, serverFlags } from './serve/server-flags.js'
import { openCommandStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'

const defaultPort = 8081

/** Passes requests of other processes on to APIs. */
export const relayCommand = buildCommand<RelayFlags, [], CommandLine>({
  func: relay,
  parameters: {
    flags: {
      ...storeFlags,
      ...serverFlags(defaultPort, '; 0 for any free one'),
    },
  },
  docs: {
    customUsage: ['', '--config cofferkit.config.mjs --host 0.0.0.0'],
    brief: 'Pass requests on to APIs, with keys that their senders do not have',
    fullDescription: [
      'Serves a relay until Ctrl+C. A request to /relay/https/api.example.com/customers with the',
      'header',
      '',
      '  Authorization: Bearer {{ op://Team/Example/key }}',
      '',
      'is sent to https://api.example.com/customers with the key of the item Example, if that has a',
      'URL of this host, and the key is masked in the response. The token of the relay is in the',
      'header x-cofferkit-authorization. Each use of a key is in the activity log of the store.',
      '',
      'The configuration can have the member relay: { tokens, allowHosts, allow, placesOf, sign, ... }.',
      'Without tokens there, one token can use the items of all vaults.',
    ].join('\n'),
  },
})

/** Serves until SIGINT or SIGTERM. Then it answers the open requests and closes the store. */
async function relay(this: CommandLine, flags: RelayFlags): Promise<void> {
  const { createServerLog } = await import('./serve/server-log.js')
  const log = createServerLog(this, { isJson: flags.json })
  try {
    const { stopped } = listenToSignals(this)
    const address = findAddress(this, flags, defaultPort)
    const givenToken = findToken(this, flags.token, address.host)
    const opened = await openCommandStore(this, flags, 'existing')
    try {
      const { serveRelay } = await import('./relay/serve-relay.js')
      await serveRelay(flags, opened, { address, givenToken, stopped, log })
    } finally {
      await opened.close()
    }
  } catch (error) {
    if (!flags.json) throw error
    log.error(error)
    this.process.exitCode = exitCodeOf(error)
  }
}
