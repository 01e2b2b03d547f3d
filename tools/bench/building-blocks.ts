/** Code that the baselines and the competitors share: compiled zod schemas and new ids. */

import type { PatchOperation } from 'cofferkit'
import type { Operation } from 'fast-json-patch'
import * as z from 'zod'

/** A stored item. */
export type StoredItem = z.output<typeof itemSchema>

/** The details of a file. */
export type StoredFile = StoredItem['files'][number]

const id = z.string().regex(/^[\da-z]{26}$/)
const section = z.object({ id: z.string().exactOptional() })
const field = z.object({
  id: z.string(),
  type: z.enum(['STRING', 'EMAIL', 'CONCEALED', 'URL', 'TOTP', 'DATE', 'MONTH_YEAR', 'MENU']),
  label: z.string().exactOptional(),
  value: z.string().exactOptional(),
  purpose: z.enum(['', 'USERNAME', 'PASSWORD', 'NOTES']).exactOptional(),
  section: section.exactOptional(),
})
const file = z.object({
  id: z.string(),
  name: z.string(),
  size: z.int().min(0),
  content_path: z.string(),
  section: section.exactOptional(),
})
const url = z.object({
  href: z.string(),
  label: z.string().exactOptional(),
  primary: z.boolean().exactOptional(),
})
const attributes = {
  category: z.enum(['LOGIN', 'PASSWORD', 'API_CREDENTIAL', 'SERVER', 'DATABASE', 'SECURE_NOTE']),
  vault: z.object({ id }),
  title: z.string().exactOptional(),
  favorite: z.boolean().default(false),
  tags: z.array(z.string()).default([]),
  urls: z.array(url).default([]),
  sections: z.array(z.object({ id: z.string(), label: z.string().exactOptional() })).default([]),
  fields: z.array(field).default([]),
}

/** The body of a create or a replace. */
export const draftSchema = z.compile(z.object(attributes))

/** A stored item. */
export const itemSchema = z.compile(
  z.object({
    id,
    ...attributes,
    version: z.int().min(1),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    lastEditedBy: z.string(),
    files: z.array(file),
  }),
)

/** The body of a patch. */
export const patchSchema = z.compile(
  z.array(
    z.object({
      op: z.enum(['add', 'remove', 'replace']),
      path: z.string(),
      value: z.unknown().optional(),
    }),
  ),
)

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'
const pool = new Uint8Array(4096)
let used = pool.length

/** 26 characters of base32 from 16 random bytes, which are drawn 4,096 at a time. */
export function newId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const end = used + 16
  let text = ''
  let bits = 0
  let count = 0
  for (; used < end; used++) {
    bits = ((bits << 8) | (pool[used] ?? 0)) & 0xfff
    count += 8
    while (count >= 5) {
      count -= 5
      text += alphabet[(bits >> count) & 31]
    }
  }
  return text + alphabet[(bits << 2) & 31]
}

/** A copy of the patch with indexes instead of the ids of fields, as RFC 6902 requires. */
export function toIndexedPatch(
  patch: readonly PatchOperation[],
  fields: StoredItem['fields'],
): Operation[] {
  return patch.map(({ op, path, value }) => {
    if (!path.startsWith('/fields/')) return { op, path, value }
    const [id, ...rest] = path.slice(8).split('/')
    const index = fields.findIndex((candidate) => candidate.id === id)
    return { op, path: ['/fields', index, ...rest].join('/'), value }
  })
}
