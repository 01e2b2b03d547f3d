/** Describes the probes in OpenAPI: heartbeat, health and metrics. */

import { type ProbeRoute, probes } from '../../src/http/routes.js'
import type { OpenApiOperation } from './document.js'
import { jsonResponse, textResponse } from './responses.js'

const health = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    dependencies: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          service: { type: 'string' },
          status: { type: 'string', enum: ['ACTIVE', 'INACTIVE'] },
        },
        required: ['service', 'status'],
      },
    },
  },
  required: ['name', 'dependencies'],
}

/** Returns the operations of the probes by their paths and methods. */
export function probeOperations(): Readonly<Record<string, Record<string, OpenApiOperation>>> {
  return Object.fromEntries(
    probes.map(({ probe, method, path }) => [
      path,
      {
        [method.toLowerCase()]: {
          operationId: probe,
          ...describe(probe),
          tags: ['service'],
          security: [],
        },
      },
    ]),
  )
}

function describe(probe: ProbeRoute['probe']): Pick<OpenApiOperation, 'summary' | 'responses'> {
  switch (probe) {
    case 'heartbeat':
      return {
        summary: 'Returns 200 while the service is running',
        responses: { 200: textResponse('A full stop.') },
      }
    case 'health':
      return {
        summary: 'Returns the health of the service and its store',
        responses: {
          200: jsonResponse('The store responds.', health),
          503: jsonResponse(
            'The store fails or does not respond within five seconds.',
            health,
            'Retry-After',
          ),
        },
      }
    case 'metrics':
      return {
        summary: 'Returns the metrics in the Prometheus text format',
        responses: {
          200: textResponse('Counts and durations of requests, write conflicts and store errors.'),
        },
      }
  }
}
