/** A key management service for the check `tenant-keys`: a server, and the providers of processes. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  createLocalKeyProvider,
  createTenantKeyProvider,
  type KeyContext,
  type KeyProvider,
} from 'cofferkit/encrypted'

/** A running service with one KEK for each name that is asked for. */
export interface KmsServer {
  readonly url: string
  /** KEKs that are denied. */
  readonly denied: Set<string>
  /** While true, every call fails. */
  isDown: boolean
  close(): void
}

interface KmsCall {
  readonly kekId: string
  readonly operation: 'wrap' | 'unwrap'
  readonly bytes: string
  readonly context: KeyContext
}

/** Starts the service on a free port. */
export async function startKms(): Promise<KmsServer> {
  const keks = new Map<string, KeyProvider>()
  const findKek = (kekId: string): KeyProvider => {
    const key = crypto.getRandomValues(new Uint8Array(32))
    const kek = keks.get(kekId) ?? createLocalKeyProvider({ key })
    keks.set(kekId, kek)
    return kek
  }
  const kms = { url: '', denied: new Set<string>(), isDown: false, close: () => {} }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { kekId, operation, bytes, context }: KmsCall = JSON.parse(await text(request))
    if (kms.isDown || kms.denied.has(kekId)) {
      response.writeHead(kms.isDown ? 503 : 403).end()
      return
    }
    const kek = findKek(kekId)
    const given = Buffer.from(bytes, 'base64')
    const result =
      operation === 'wrap' ? kek.wrap(given, context) : kek.unwrap(kek.currentKekId, given, context)
    response.end(Buffer.from(await result).toString('base64'))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  kms.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  kms.close = () => {
    server.close()
    server.closeAllConnections()
  }
  return kms
}

/** Returns the provider of a process: each vault has the KEK `kek-<vault id>`, all else has ours. */
export function createKmsProvider(url: string): KeyProvider {
  const ofKek = (kekId: string): KeyProvider => {
    const call = async (
      operation: KmsCall['operation'],
      bytes: Uint8Array,
      context: KeyContext,
    ): Promise<Uint8Array> => {
      const body: KmsCall = {
        kekId,
        operation,
        bytes: Buffer.from(bytes).toString('base64'),
        context,
      }
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
      if (!response.ok) throw new Error('the service denies it, or is down')
      return Buffer.from(await response.text(), 'base64')
    }
    return {
      currentKekId: kekId,
      kekIds: [kekId],
      wrap: (bytes, context) => call('wrap', bytes, context),
      unwrap: (_, wrapped, context) => call('unwrap', wrapped, context),
    }
  }
  const ours = ofKek('ours')
  return createTenantKeyProvider({ ours, ofVault: (vaultId) => ofKek(`kek-${vaultId}`) })
}
