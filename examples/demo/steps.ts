/** The requests of the tour: four that succeed, four that fail, and one after a restart. */

import type { DemoVault } from './vault.js'

/** A request and the expected status of its response. */
export interface Step {
  /** A description, in one sentence. */
  readonly sentence: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  /** Not sent if absent. */
  readonly token?: string
  /** Sent as JSON if present. */
  readonly body?: unknown
  readonly status: number
}

/** Returns the first step. It creates the item that the others use. */
export function firstStep({ vaultId, tokens }: DemoVault): Step {
  const recipe = { length: 24 }
  return {
    sentence: 'The owner creates a login; the vault generates the password.',
    method: 'POST',
    path: `/v1/vaults/${vaultId}/items`,
    token: tokens.owner,
    body: {
      category: 'LOGIN',
      vault: { id: vaultId },
      title: 'Shop',
      fields: [
        { id: 'username', purpose: 'USERNAME', value: 'wendy' },
        {
          id: 'password',
          type: 'CONCEALED',
          purpose: 'PASSWORD',
          generate: true,
          recipe,
        },
      ],
    },
    status: 200,
  }
}

/** Returns the step that reads the item after a restart. */
export function afterRestart(
  { vaultId, tokens }: DemoVault,
  itemId: string,
): Step {
  return {
    sentence: 'The owner reads the item: nothing has changed.',
    method: 'GET',
    path: `/v1/vaults/${vaultId}/items/${itemId}`,
    token: tokens.owner,
    status: 200,
  }
}

/** Returns the other steps, in their order. */
export function furtherSteps(
  vault: DemoVault,
  itemId: string,
): readonly Step[] {
  const { vaultId, documentId, smallFileId, largeFileId } = vault
  const { owner, reader, otherVault } = vault.tokens
  const items = `/v1/vaults/${vaultId}/items`
  const path = `${items}/${itemId}`
  const fileAt = (id: string): string =>
    `${items}/${documentId}/files/${id}?inline_files=true`
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
  const patch = [
    {
      op: 'replace',
      path: '/fields/username/value',
      value: 'wendy@example.com',
    },
  ]
  return [
    {
      sentence:
        'The owner replaces it; a field sent with only its id does not change.',
      method: 'PUT',
      path,
      token: owner,
      body: replacement,
      status: 200,
    },
    {
      sentence:
        'The owner changes one value; the field is addressed by its id.',
      method: 'PATCH',
      path,
      token: owner,
      body: patch,
      status: 200,
    },
    {
      sentence: 'A reader gets a small file with its content inlined.',
      method: 'GET',
      path: fileAt(smallFileId),
      token: reader,
      status: 200,
    },
    {
      sentence: 'A request without a token is rejected.',
      method: 'GET',
      path,
      status: 401,
    },
    {
      sentence: 'A token for another vault is rejected.',
      method: 'GET',
      path,
      token: otherVault,
      status: 403,
    },
    {
      sentence: 'The owner patches an item that does not exist.',
      method: 'PATCH',
      path: `${items}/${'0'.repeat(26)}`,
      token: owner,
      body: patch,
      status: 404,
    },
    {
      sentence: 'A reader requests a file that is too large to be inlined.',
      method: 'GET',
      path: fileAt(largeFileId),
      token: reader,
      status: 413,
    },
  ]
}
