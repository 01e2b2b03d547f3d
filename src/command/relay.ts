/** The command `relay`: passes requests of other processes on to APIs, with secrets of a store. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import { switchFlag } from './flags.js'
import type { RelayFlags } from './relay/serve-relay.js'
import { findToken, serverFlags, waitForSignal } from './serve/server-flags.js'
import { openCommandStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'

/** Passes requests of other processes on to APIs. */
export const relayCommand = buildCommand<RelayFlags, [], CommandLine>({
  func: relay,
  parameters: {
    flags: {
      ...storeFlags,
      ...serverFlags(8081, '; 0 for any free one'),
      json: switchFlag('Print one JSON object per line'),
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
  const stopped = waitForSignal(this)
  const givenToken = findToken(this, flags)
  const opened = await openCommandStore(this, flags, 'existing')
  try {
    const { serveRelay } = await import('./relay/serve-relay.js')
    await serveRelay(this, flags, opened, { givenToken, stopped })
  } finally {
    await opened.close()
  }
}
