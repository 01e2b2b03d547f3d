/**
 * Serves a vault from a worker. One Durable Object stores it, so that it outlives the worker and is
 * the same in every region.
 */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import {
  createDurableObjectStore,
  type ObjectStorage,
} from './durable-object-store.js'

type Fetch = (request: Request) => Promise<Response>

interface Environment {
  /** The SHA-256 of the token with access to the vault, from `hashToken`. */
  readonly TOKEN_SHA256: string
  readonly VAULTS: {
    idFromName(name: string): object
    get(id: object): { fetch: Fetch }
  }
}

/**
 * The Durable Object, created by the first request while it is inactive. The platform holds its
 * responses back until its writes are on disk.
 */
export class VaultObject {
  readonly fetch: Fetch

  constructor(
    { storage }: { readonly storage: ObjectStorage },
    environment: Environment,
  ) {
    const service = createVaultService({
      store: createDurableObjectStore(storage),
      strict: true,
    })
    const tokens = [
      { id: 'owner', sha256: environment.TOKEN_SHA256, vaults: '*' },
    ] as const
    const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
    const limits = { maxFileBytes: 33_554_432 }
    const api = createHttpHandler(service, {
      authenticate,
      extensions: true,
      ...limits,
    })
    this.fetch = createFetchHandler(api)
  }
}

// biome-ignore lint/style/noDefaultExport: workers require a default export.
export default {
  fetch(request: Request, { VAULTS }: Environment): Promise<Response> {
    return VAULTS.get(VAULTS.idFromName('main')).fetch(request)
  },
}
