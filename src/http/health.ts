/** Answers what is asked of the mount itself, by whoever asks: nothing here is an id or a value. */

import type { VaultService } from '../core/vault-service.js'
import { StorageError } from '../errors.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpResponse } from './message.js'
import type { Metrics } from './metrics.js'
import { jsonResponse, textResponse, withHeaders } from './responses.js'
import type { ProbeRoute } from './routes.js'

/** Milliseconds within which a store that is well answers. */
const timeoutMs = 5000

/** The response to a probe. Never rejects. */
export async function handleProbe(
  service: VaultService,
  metrics: Metrics,
  { probe }: ProbeRoute,
  requestId: string,
): Promise<HttpResponse> {
  if (probe === 'heartbeat') return textResponse(requestId, '.')
  if (probe === 'metrics')
    return textResponse(requestId, metrics.text(service.stats), '; version=0.0.4')
  const isHealthy = await isStoreHealthy(service)
  const status = isHealthy ? 'ACTIVE' : 'INACTIVE'
  const health = { name: 'cofferkit', dependencies: [{ service: 'store', status }] }
  const response = jsonResponse(requestId, JSON.stringify(health))
  if (isHealthy) return response
  return { ...withHeaders(response, { 'retry-after': '1' }), status: 503 }
}

async function isStoreHealthy(service: VaultService): Promise<boolean> {
  const late = (): StorageError => new StorageError('the store did not answer')
  return withTimeout(service.checkHealth(), timeoutMs, late).then(
    () => true,
    () => false,
  )
}
