/** What the bench feeds to everybody: items of 20 fields, about 2.3 KB of JSON, and patches of three operations. */

export const vaultId = 'benchbenchbenchbenchbench1'
export const token = 'bench-token-4f6d1c0b9a8e7f6d5c4b3a29180f7e6d'
export const fileId = '6f1d4c1e-0b5a-4c2e-9f3b-2a7d8e9c0b1a'

/** How many items are stored, more than any cache holds, and how many bodies are rotated over. */
export const itemCount = 4096
export const draftCount = 1024

const types = ['STRING', 'CONCEALED', 'EMAIL', 'URL', 'STRING', 'CONCEALED', 'MENU', 'STRING']

/** The body of a create or a replace. Each index gives other values of the same length. */
export function draft(index) {
  const mark = String(index).padStart(6, '0')
  return {
    category: 'LOGIN',
    vault: { id: vaultId },
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
    fields: Array.from({ length: 20 }, (_, place) => field(place, mark)),
  }
}

/** The body of a patch: one attribute, one field's label, one field's value. */
export function patch(index) {
  const mark = String(index).padStart(6, '0')
  return [
    { op: 'replace', path: '/title', value: `Renamed ${mark} of the staging cluster` },
    { op: 'replace', path: '/fields/field11/label', value: `relabelled ${mark}` },
    { op: 'replace', path: '/fields/field17/value', value: `changed-value-${mark}` },
  ]
}

/** An item as it is stored and answered, for those who have no operation that makes one with a file. */
export function storedItem(itemId, index) {
  const now = new Date().toISOString()
  return {
    id: itemId,
    ...draft(index),
    version: 1,
    createdAt: now,
    updatedAt: now,
    lastEditedBy: 'bench',
    files: [file(itemId)],
  }
}

/** The details of an item's only file. */
export function file(itemId) {
  const path = `/v1/vaults/${vaultId}/items/${itemId}/files/${fileId}/content`
  return { id: fileId, name: 'recovery-codes.txt', size: 256, content_path: path }
}

function field(place, mark) {
  const purpose = ['USERNAME', 'PASSWORD'][place]
  return {
    id: `field${place}`,
    type: types[place % types.length],
    label: `label ${place}`,
    value: `value-${mark}-${place}`,
    ...(purpose && { purpose }),
    ...(place > 3 && { section: { id: place % 2 ? 'access' : 'details' } }),
  }
}
