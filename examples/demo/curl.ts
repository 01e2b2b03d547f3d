/** A curl command for each route, to be pasted into a shell. */

import { type Route, routes } from 'cofferkit/http'
import type { DemoVault } from './vault.js'

/** A route and the command that calls it. */
export interface CurlLine {
  readonly operation: string
  /** The expected status of the first call. */
  readonly status: number
  /** The token that it sends. */
  readonly token: 'owner' | 'reader'
  readonly line: string
}

/** Returns one command for each route. All of them can run one after the other. */
export function curlLines(vault: DemoVault): readonly CurlLine[] {
  return routes.map((route) => {
    const { operation, method, body } = route
    const token = method === 'GET' ? 'reader' : 'owner'
    const words = [
      `-X ${method}`,
      quoted(vault.origin + targetOf(route, vault)),
    ]
    words.push(header(`authorization: Bearer ${vault.tokens[token]}`))
    if (body !== undefined) words.push(...bodyWords(vault, route, body))
    const status = method === 'DELETE' ? 204 : 200
    return {
      operation,
      status,
      token,
      line: `curl -sSi -w '\\n' ${words.join(' ')}`,
    }
  })
}

/** The route's path in this vault, with every boolean parameter set and every required one. */
function targetOf(
  { operation, path, query = {} }: Route,
  vault: DemoVault,
): string {
  const vaultIds: Partial<Record<typeof operation, string>> = {
    createVault: 'd'.repeat(26),
    deleteVault: vault.spareVaultId,
  }
  const parameters = Object.entries(query).flatMap(([name, { type }]) =>
    type === 'boolean' ? [`${name}=true`] : [],
  )
  if (operation === 'attachFile') parameters.push('name=greeting.txt')
  const item = operation === 'deleteItem' ? vault.spareId : vault.itemId
  return [path, ...parameters]
    .join('?')
    .replace('{vaultId}', vaultIds[operation] ?? vault.vaultId)
    .replace('{itemId}', path.includes('/files') ? vault.documentId : item)
    .replace(
      '{fileId}',
      operation === 'removeFile' ? vault.spareFileId : vault.smallFileId,
    )
    .replace('{fieldId}', 'password')
    .replace('{version}', '1')
}

function bodyWords(
  vault: DemoVault,
  route: Route,
  body: NonNullable<Route['body']>,
): string[] {
  if (body === 'content') return [`--data-binary ${quoted('Hello!')}`]
  const json = quoted(JSON.stringify(bodyOf(vault, route, body)))
  return [header('content-type: application/json'), `-d ${json}`]
}

function bodyOf(
  { vaultId, itemId, documentId }: DemoVault,
  { operation }: Route,
  body: NonNullable<Route['body']>,
): unknown {
  if (body === 'patch') return [{ op: 'add', path: '/tags/-', value: 'seen' }]
  if (operation === 'getItems') return { itemIds: [itemId, documentId] }
  if (operation === 'setItemState') return { state: null }
  if (operation === 'regenerateField') return { recipe: { length: 20 } }
  if (body !== 'item') return { name: 'Demo' }
  const password = {
    id: 'password',
    type: 'CONCEALED',
    purpose: 'PASSWORD',
    generate: true,
  }
  return {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'Shop',
    fields: [password],
  }
}

function header(line: string): string {
  return `-H ${quoted(line)}`
}

/** Quotes a word for a shell. No word here contains a single quote. */
function quoted(word: string): string {
  return `'${word}'`
}
