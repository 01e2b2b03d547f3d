/** A file of an item, as it is described to a client. */

import * as z from 'zod/mini'
import { type SectionReference, sectionReferenceSchema } from './field.js'
import { fileIdSchema } from './ids.js'

/** A file of an item (contract, section 2.7). */
export interface FileDetails {
  /** 26 characters as of an item, or an RFC 9562 UUID. */
  readonly id: string
  /** As it was given when the file was attached. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Where the content can be downloaded: begins with `/v1/`, joined to the service's base URL. */
  readonly content_path: string
  /** The content in base64 (RFC 4648, section 4); only when it was asked for and is small enough. */
  readonly content?: string
  /** The section the file stands in. */
  readonly section?: SectionReference
}

/** Reads {@link FileDetails}. */
export const fileDetailsSchema = z.object({
  id: fileIdSchema,
  name: z.string(),
  size: z.int().check(z.gte(0)),
  content_path: z.string(),
  content: z.exactOptional(z.string().register(z.globalRegistry, { format: 'byte' })),
  section: z.exactOptional(sectionReferenceSchema),
})

/** RFC 4648, section 4, with padding. */
const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

/** A file in the body of an item. It changes nothing: it is there so that an item that was read can be sent back. */
export type FileDraft = { readonly [Name in keyof FileDetails]?: FileDetails[Name] | undefined }

/** Reads a {@link FileDraft}. */
export const fileDraftSchema = z.object({
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  size: z.optional(z.int()),
  content_path: z.optional(z.string()),
  content: z.optional(
    z.string().check(z.regex(base64)).register(z.globalRegistry, { format: 'byte' }),
  ),
  section: z.optional(z.object({ id: z.optional(z.string()) })),
})
