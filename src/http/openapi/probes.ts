/** Describes in OpenAPI what is asked of the mount itself. */

import { type ProbeRoute, probes } from '../routes.js'
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

/** Path -> method -> operation, of every probe. */
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
        summary: 'Answers that the service runs',
        responses: { 200: textResponse('A full stop.') },
      }
    case 'health':
      return {
        summary: 'Answers whether the store is well',
        responses: {
          200: jsonResponse('It is.', health),
          503: jsonResponse(
            'The store fails or does not answer within five seconds.',
            health,
            'Retry-After',
          ),
        },
      }
    case 'metrics':
      return {
        summary: 'Answers what was counted, in the text format of Prometheus',
        responses: {
          200: textResponse('Requests, their durations, lost races, failures of the store.'),
        },
      }
  }
}
