/**
 * The shapes in which published clients parse responses, with the types and formats they require.
 */

import * as z from 'zod'

const id = z.string().regex(/^[\da-z]{26}$/)

/** A time that Go’s `time.Time` can parse from JSON (RFC 3339). */
const time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/)

const reference = z.object({ id: z.string() })

/** A vault as the Java client reads it, whose class has two more members: `items`, `contentVersion`. */
const vault = z.strictObject({
  id,
  name: z.string(),
  description: z.string().optional(),
  attributeVersion: z.int(),
  type: z.enum(['USER_CREATED', 'PERSONAL', 'EVERYONE', 'TRANSFER']),
  createdAt: time,
  updatedAt: time,
})

const file = z.object({
  id: z.string(),
  name: z.string(),
  size: z.int(),
  content_path: z.string().startsWith('/v1/vaults/'),
  content: z.base64().optional(),
  section: reference.optional(),
})

const summary = z.object({
  id,
  title: z.string().optional(),
  vault: z.object({ id }),
  category: z.string().regex(/^[A-Z_]+$/),
  urls: z
    .array(
      z.object({
        href: z.string(),
        label: z.string().optional(),
        primary: z.boolean().optional(),
      }),
    )
    .optional(),
  favorite: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  version: z.int().positive(),
  createdAt: time,
  updatedAt: time,
  lastEditedBy: z.string(),
})

const item = summary.extend({
  sections: z.array(z.object({ id: z.string(), label: z.string().optional() })),
  fields: z.array(
    z.object({
      id: z.string().min(1),
      type: z.string().min(1),
      purpose: z.enum(['', 'USERNAME', 'PASSWORD', 'NOTES']).optional(),
      label: z.string().optional(),
      value: z.string().optional(),
      entropy: z.number().optional(),
      totp: z.string().regex(/^\d+$/).optional(),
      section: z.object({ id: z.string(), label: z.string().optional() }).optional(),
    }),
  ),
  files: z.array(file),
})

/** An entry as the Java client reads it, whose classes have no other members. */
const activityEntry = z.strictObject({
  requestId: z.string(),
  timestamp: time,
  action: z.enum(['READ', 'CREATE', 'UPDATE', 'DELETE']),
  result: z.enum(['SUCCESS', 'DENY']),
  actor: z.strictObject({
    id: z.string(),
    account: z.string().optional(),
    jti: z.string().optional(),
    userAgent: z.string().optional(),
    ip: z.string().optional(),
  }),
  resource: z.strictObject({
    type: z.enum(['ITEM', 'VAULT']),
    vault: reference.optional(),
    item: reference.optional(),
    itemVersion: z.int().optional(),
  }),
})

/** The shapes, by the name that clients use. */
export const shapes = {
  vault,
  vaults: z.array(vault),
  item,
  /** Without `fields`, `sections` and `files`. */
  summaries: z.array(z.strictObject(summary.shape)),
  file,
  files: z.array(file),
  error: z.strictObject({ status: z.int(), message: z.string().min(1) }),
  health: z.strictObject({
    name: z.string(),
    version: z.string(),
    dependencies: z.array(z.object({ service: z.string(), status: z.string() })),
  }),
  activity: z.array(activityEntry),
} as const

/** The name of a shape. `nothing` is a response without a body, `bytes` one that is not JSON. */
export type Shape = keyof typeof shapes | 'nothing' | 'bytes'
