/** Activity entries as a log stores them. */

import * as z from 'zod/mini'
import { fileIdSchema, idSchema } from '../schema/ids.js'

/** Parses an `ActivityEntry`. */
export const recordedEntrySchema = z.object({
  requestId: z.guid(),
  clientRequestId: z.exactOptional(z.string()),
  omitted: z.exactOptional(z.int().check(z.gte(1))),
  timestamp: z.iso.datetime(),
  operation: z.string(),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['SUCCESS', 'DENY']),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    requestIp: z.exactOptional(z.string()),
  }),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    file: z.exactOptional(z.object({ id: fileIdSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
  }),
})
