/** The metadata of an item's file. */

import { isBase64 } from '../base/base64.js'
import { type SectionReference, sectionReferenceSchema } from './field.js'
import { fileIdSchema } from './ids.js'
import * as z from './zod.js'

/**
 * The metadata of an item's file, and its content if it was requested and is small enough. The
 * rules for files are in
 * [the contract page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#files).
 */
export interface FileDetails {
  /** 26 characters of `0-9 a-z`, or a UUID (RFC 9562). */
  readonly id: string
  /** The name that the file was attached with. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** The path of the content. It begins with `/v1/`. Clients append it to the base URL. */
  readonly content_path: string
  /**
   * The content in base64 (RFC 4648, section 4). Set only if it was requested and the file is small
   * enough.
   */
  readonly content?: string
  /** The section that contains the file. */
  readonly section?: SectionReference
}

/** Parses {@link FileDetails}. */
export const fileDetailsSchema = z.object({
  id: fileIdSchema,
  name: z.string(),
  size: z.int().check(z.gte(0)),
  content_path: z.string(),
  content: z.exactOptional(z.string()),
  section: z.exactOptional(sectionReferenceSchema),
})

/**
 * A file in the body of an item. It must be valid, but is ignored, so that clients can send back an
 * item that they have read.
 */
export type FileDraft = { readonly [Name in keyof FileDetails]?: FileDetails[Name] | undefined }

/** Parses a {@link FileDraft}. */
export const fileDraftSchema = z.object({
  id: z.optional(z.string()),
  name: z.optional(z.string()),
  size: z.optional(z.int()),
  content_path: z.optional(z.string()),
  content: z.optional(z.string().check(z.refine(isBase64, 'has an invalid format'))),
  section: z.optional(z.object({ id: z.optional(z.string()) })),
})
