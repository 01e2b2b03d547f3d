/** A process that refreshes an account of better-auth, and kills itself at one step. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createLocalKeyProvider } from 'cofferkit/encrypted'
import { createTokenKeeper } from 'cofferkit/oauth'
import { createSealer } from 'cofferkit/seal'
import { openSqliteStore } from 'cofferkit/sqlite'
import { accountGrants } from '../../../examples/account-grants.js'
import { requestTokens } from '../../../tools/reliability/oauth/provider-server.js'

const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
const [folder = '', url = '', step] = process.argv.slice(2)
const reach = (name: string): void => {
  if (name === step) process.kill(process.pid, 'SIGKILL')
}

const { records } = await openSqliteStore(join(folder, 'store.db'))
const sealer = createSealer(records, { keys })
const database = new DatabaseSync(join(folder, 'app.db'), { timeout: 30_000 })
const grants = accountGrants(database, sealer, 'app')
const keeper = createTokenKeeper({
  leases: records,
  leaseMs: 1000,
  grants: {
    ...grants,
    async replace(...row) {
      const isReplaced = await grants.replace(...row)
      reach('after the write')
      return isReplaced
    },
  },
  async refresh(refreshToken) {
    reach('before the request')
    const tokens = await requestTokens(url, refreshToken)
    reach('after the request')
    return tokens
  },
})
await keeper.accessToken({ providerId: 'mail', accountId: 'wendy' })
