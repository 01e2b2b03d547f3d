/** Schemas as JSON Schema. */

import * as z from 'zod/mini'
import { keywords } from '../../../tools/openapi/json-schema.js'

/**
 * Returns a schema as one document, with all named parts inlined.
 * @param io `input` for the accepted value, `output` for the returned value.
 */
export function toJsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): unknown {
  const {
    $schema: _version,
    $defs = {},
    ...document
  } = z.toJSONSchema(schema, { io, target: 'draft-2020-12', metadata: keywords })
  return JSON.parse(
    JSON.stringify(document),
    function inline(key: string, value: unknown): unknown {
      if (key === 'id' && typeof value === 'string') return undefined
      if (typeof value !== 'object' || value === null || !('$ref' in value)) return value
      const part = $defs[String(value.$ref).replace('#/$defs/', '')]
      return JSON.parse(JSON.stringify(part), inline)
    },
  )
}
