/** The lines of an export. */

import type { Item, Vault } from '../../index.js'

/**
 * A line of an export: the format; a vault; an item of the vault before it; a file of the item
 * before it; or a part of the content of the file before it, in base64.
 */
export type ExportLine =
  | { readonly format: 'cofferkit-export'; readonly version: 1 }
  | { readonly vault: Vault }
  | { readonly item: Item }
  | { readonly file: { readonly name: string; readonly size: number; readonly sectionId?: string } }
  | { readonly part: string }
  | { readonly end: { readonly vaults: number; readonly items: number; readonly files: number } }

/** Bytes of the content of a file in one line. Divisible by 3, so that no part has padding inside. */
export const partBytes = 786_432
