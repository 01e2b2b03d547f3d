/** Activity entries as HTTP publishes them. */

import * as z from 'zod/mini'
import { fileIdSchema, idSchema } from '../../src/schema/ids.js'
import { recordedUseSchema } from '../../src/schema/secret-use.js'

/**
 * Parses an `ActivityEntry` as HTTP publishes it. The members that the published service has not are
 * only sent with the option `extensions`, because its clients accept no others.
 */
export const activityEntrySchema = z.object({
  requestId: z.guid(),
  clientRequestId: z.exactOptional(z.string()),
  timestamp: z.iso.datetime(),
  durationMs: z.exactOptional(z.int().check(z.gte(0))),
  operation: z.exactOptional(z.string()),
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['PENDING', 'SUCCESS', 'DENY']),
  code: z.exactOptional(z.string()),
  omitted: z.exactOptional(z.int().check(z.gte(1))),
  actor: z.object({
    id: z.string(),
    jti: z.exactOptional(z.string()),
    userAgent: z.exactOptional(z.string()),
    ip: z.exactOptional(z.string()),
  }),
  use: z.exactOptional(recordedUseSchema),
  credential: z.exactOptional(z.object({ name: z.string(), account: z.exactOptional(z.string()) })),
  resource: z.object({
    type: z.enum(['ITEM', 'VAULT']),
    vault: z.exactOptional(z.object({ id: idSchema })),
    item: z.exactOptional(z.object({ id: idSchema })),
    itemVersion: z.exactOptional(z.int().check(z.gte(0))),
    file: z.exactOptional(z.object({ id: fileIdSchema })),
    vaultVersion: z.exactOptional(z.int().check(z.gte(1))),
  }),
})
