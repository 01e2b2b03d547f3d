/** The key provider of a sealer. */

import {
  type KeyContext,
  type KeyProvider,
  requireProvider,
} from '../storage/encrypted/providers/key-provider.js'

/**
 * Returns a provider that wraps the keys of a sealer with the same KEKs, but for another purpose.
 * So nobody can move a vault's wrapped key into a sealer's ring, or the other way round.
 */
export function toSealProvider(provider: KeyProvider): KeyProvider {
  const { ofScope } = provider
  return {
    get currentKekId() {
      return provider.currentKekId
    },
    get kekIds() {
      return provider.kekIds
    },
    wrap: (key, context) => provider.wrap(key, toSealContext(context)),
    unwrap: (kekId, wrapped, context) => provider.unwrap(kekId, wrapped, toSealContext(context)),
    ...(ofScope && {
      async ofScope(scope) {
        const own = await ofScope.call(provider, scope)
        return toSealProvider(requireProvider(own, 'keys.ofScope'))
      },
    }),
  }
}

function toSealContext(context: KeyContext): KeyContext {
  return { ...context, purpose: 'cofferkit seal key' }
}
