/** Activity entries as HTTP publishes them. */

import * as z from 'zod/mini'
import { idSchema } from '../../schema/ids.js'

/** Parses an `ActivityEntry` as HTTP publishes it: clients accept no other members. */
export const activityEntrySchema = z.object({
  requestId: z.guid(),
  timestamp: z.iso.datetime(),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['SUCCESS', 'DENY']),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    ip: z.exactOptional(z.string()),
  }),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
  }),
})
