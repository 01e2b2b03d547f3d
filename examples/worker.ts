/** A vault in a worker: one Durable Object holds it, so that it outlives the worker and every region sees the same. */

import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import { createDurableObjectStore, type ObjectStorage } from './durable-object-store.js'

type Answer = (request: Request) => Promise<Response>

interface Environment {
  /** What `hashToken` made of the token that opens the vault. */
  readonly TOKEN_SHA256: string
  readonly VAULTS: { idFromName(name: string): object; get(id: object): { fetch: Answer } }
}

/** The object: made when a request finds it asleep. Its answers leave when what it has written is on disk. */
export class VaultObject {
  readonly fetch: Answer

  constructor({ storage }: { readonly storage: ObjectStorage }, environment: Environment) {
    const service = createVaultService({ store: createDurableObjectStore(storage) })
    const tokens = [{ id: 'owner', sha256: environment.TOKEN_SHA256, vaults: '*' }] as const
    const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
    const limits = { maxFileBytes: 33_554_432 }
    const api = createHttpHandler(service, { authenticate, extensions: true, ...limits })
    this.fetch = createFetchHandler(api)
  }
}

// biome-ignore lint/style/noDefaultExport: it is how a worker is found.
export default {
  fetch(request: Request, { VAULTS }: Environment): Promise<Response> {
    return VAULTS.get(VAULTS.idFromName('main')).fetch(request)
  },
}
