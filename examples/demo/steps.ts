/** What the tour asks for: four times served, four times refused, and once more after a restart. */

import type { DemoVault } from './vault.js'

/** One request, and the status its answer should have. */
export interface Step {
  /** What happens, in a sentence. */
  readonly sentence: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** None is sent if absent. */
  readonly token?: string
  /** Sent as JSON if present. */
  readonly body?: unknown
  readonly status: number
}

/** The first step makes an item; its id is needed for the others. */
export function firstStep({ vaultId, tokens }: DemoVault): Step {
  const recipe = { length: 24 }
  return {
    sentence: 'The owner creates a login; the vault makes the password.',
    method: 'POST',
    path: `/v1/vaults/${vaultId}/items`,
    token: tokens.owner,
    body: {
      category: 'LOGIN',
      vault: { id: vaultId },
      title: 'Shop',
      fields: [
        { id: 'username', purpose: 'USERNAME', value: 'wendy' },
        { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true, recipe },
      ],
    },
    status: 200,
  }
}

/** The step that shows that the item is still there. */
export function afterRestart({ vaultId, tokens }: DemoVault, itemId: string): Step {
  return {
    sentence: 'The owner finds everything as it was.',
    method: 'GET',
    path: `/v1/vaults/${vaultId}/items/${itemId}`,
    token: tokens.owner,
    status: 200,
  }
}

/** The other steps, in their order. */
export function furtherSteps(vault: DemoVault, itemId: string): readonly Step[] {
  const { vaultId, documentId, smallFileId, largeFileId } = vault
  const { owner, reader, stranger } = vault.tokens
  const items = `/v1/vaults/${vaultId}/items`
  const path = `${items}/${itemId}`
  const fileAt = (id: string): string => `${items}/${documentId}/files/${id}?inline_files=true`
  const replacement = {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'Book shop',
    tags: ['books'],
    fields: [
      { id: 'username', purpose: 'USERNAME', value: 'wendy' },
      { id: 'password' },
      { id: 'customer', label: 'customer number', value: '4711' },
    ],
  }
  const patch = [{ op: 'replace', path: '/fields/username/value', value: 'wendy@example.com' }]
  return [
    {
      sentence: 'The owner replaces it; a field of which only the id is sent stays as it is.',
      method: 'PUT',
      path,
      token: owner,
      body: replacement,
      status: 200,
    },
    {
      sentence: 'The owner changes one value; the field is found by its id.',
      method: 'PATCH',
      path,
      token: owner,
      body: patch,
      status: 200,
    },
    {
      sentence: 'A reader looks at a small file and has its content sent along.',
      method: 'GET',
      path: fileAt(smallFileId),
      token: reader,
      status: 200,
    },
    {
      sentence: 'Somebody without a token is turned away.',
      method: 'GET',
      path,
      status: 401,
    },
    {
      sentence: 'A stranger, whose token is not for this vault, is turned away.',
      method: 'GET',
      path,
      token: stranger,
      status: 403,
    },
    {
      sentence: 'The owner patches an item that is not there.',
      method: 'PATCH',
      path: `${items}/${'0'.repeat(26)}`,
      token: owner,
      body: patch,
      status: 404,
    },
    {
      sentence: 'A reader asks for a file that is too large to be sent along.',
      method: 'GET',
      path: fileAt(largeFileId),
      token: reader,
      status: 413,
    },
  ]
}
