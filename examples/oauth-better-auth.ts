/** Refreshes the tokens of an account of better-auth, as a token keeper does. */

import type { TokenRefresh } from 'cofferkit/oauth'
import { createRefresh } from './better-auth-refresh.js'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const refresh = createRefresh(provider.tokenEndpoint)

const { refreshToken } = provider.connect()
const use = { signal: AbortSignal.timeout(10_000) } as TokenRefresh // the keeper calls it
console.log('refreshed:', (await refresh(refreshToken, use)) !== false)
console.log('the same token again:', await refresh(refreshToken, use))
provider.close()
