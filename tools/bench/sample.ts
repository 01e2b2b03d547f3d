/** The data of the bench: items of 20 fields, about 2.3 KB of JSON, and patches of 3 operations. */

import type { PatchOperation } from 'cofferkit'
import type { StoredFile, StoredItem } from './building-blocks.js'

export const vaultId = 'benchbenchbenchbenchbench1'
export const token = 'bench-token-4f6d1c0b9a8e7f6d5c4b3a29180f7e6d'
export const fileId = '6f1d4c1e-0b5a-4c2e-9f3b-2a7d8e9c0b1a'

/** Number of stored items. Each operation is for another one than the last. */
export const itemCount = 4096

/** The vault that is listed, and the number of its items. */
export const listedVaultId = 'benchbenchbenchbenchbench2'
export const listedCount = 50

/** The content of each file, 1 KB. */
export const content = Uint8Array.from({ length: 1024 }, (_, index) => index * 7)

/** Number of different bodies. */
export const draftCount = 1024

const types = [
  'STRING',
  'CONCEALED',
  'EMAIL',
  'URL',
  'STRING',
  'CONCEALED',
  'MENU',
  'STRING',
] as const

/** The body of a create or a replace. Each index gives other values of the same length. */
export function draft(index: number, vault = vaultId) {
  const mark = String(index).padStart(6, '0')
  return {
    category: 'LOGIN' as const,
    vault: { id: vault },
    title: `Account ${mark} of the staging cluster`,
    favorite: false,
    tags: ['work', 'staging', `team-${mark}`],
    urls: [
      { href: `https://login-${mark}.example.com/sign-in`, label: 'website', primary: true },
      { href: `https://admin-${mark}.example.com/` },
    ],
    sections: [
      { id: 'access', label: 'Access' },
      { id: 'details', label: 'Details' },
    ],
    fields: Array.from({ length: 20 }, (_, position) => field(position, mark)),
  }
}

/** The values that a patch sets. */
export function patchedValues(index: number): { title: string; label: string; value: string } {
  const mark = String(index).padStart(6, '0')
  return {
    title: `Renamed ${mark} of the staging cluster`,
    label: `relabelled ${mark}`,
    value: `changed-value-${mark}`,
  }
}

/** The body of a patch: an attribute, a field's label, a field's value. */
export function patch(index: number): readonly PatchOperation[] {
  const { title, label, value } = patchedValues(index)
  return [
    { op: 'replace', path: '/title', value: title },
    { op: 'replace', path: '/fields/field11/label', value: label },
    { op: 'replace', path: '/fields/field17/value', value },
  ]
}

/** A stored item with a file, for contenders that have no operation that creates one. */
export function storedItem(itemId: string, index: number, vault = vaultId): StoredItem {
  const now = new Date().toISOString()
  return {
    id: itemId,
    ...draft(index, vault),
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastEditedBy: 'bench',
    files: [file(itemId)],
  }
}

/** The details of an item's only file. */
export function file(itemId: string): StoredFile {
  const path = `/v1/vaults/${vaultId}/items/${itemId}/files/${fileId}/content`
  return { id: fileId, name: 'recovery-codes.txt', size: content.length, content_path: path }
}

function field(position: number, mark: string) {
  const purpose = (['USERNAME', 'PASSWORD'] as const)[position]
  return {
    id: `field${position}`,
    type: types[position % types.length] ?? 'STRING',
    label: `label ${position}`,
    value: `value-${mark}-${position}`,
    ...(purpose && { purpose }),
    ...(position > 3 && { section: { id: position % 2 ? 'access' : 'details' } }),
  }
}
