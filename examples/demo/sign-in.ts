/** Signs in with better-auth as a browser does, with a user who agrees at once. */

import { genericOAuth } from 'better-auth/plugins'
import type { startProvider } from '../oauth-provider.js'

const origin = 'http://localhost:3000'

/** Returns the plugin of better-auth for the provider. */
export function createPlugin(
  provider: Awaited<ReturnType<typeof startProvider>>,
) {
  return genericOAuth({
    config: [
      {
        ...{
          providerId: 'mail',
          clientId: 'shop',
          clientSecret: 'secret of the shop',
          pkce: true,
        },
        authorizationUrl: provider.authorizationEndpoint,
        tokenUrl: provider.tokenEndpoint,
        userInfoUrl: provider.api,
      },
    ],
  })
}

/** Throws if the user is not signed in afterwards. */
export async function signIn(
  handler: (request: Request) => Promise<Response>,
): Promise<void> {
  const asked = await handler(
    new Request(`${origin}/api/auth/sign-in/social`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: origin },
      body: JSON.stringify({ provider: 'mail', callbackURL: '/' }),
    }),
  )
  const { url }: { url: string } = await asked.json()
  const cookie = asked.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const agreed = await fetch(url, { redirect: 'manual' })
  const callback = new Request(agreed.headers.get('Location') ?? '', {
    headers: { cookie },
  })
  const location = (await handler(callback)).headers.get('Location')
  if (location !== '/')
    throw new Error(`better-auth has sent the user to ${location}`)
}
