/** A curl line for each route, which works when it is pasted into a shell. */

import { type Route, routes } from 'cofferkit/http'
import type { DemoVault } from './vault.js'

/** A route and how to try it. */
export interface CurlLine {
  readonly operation: string
  /** The status of its answer, the first time it is sent. */
  readonly status: number
  /** Whose token it sends. */
  readonly token: 'owner' | 'reader'
  readonly line: string
}

/** One line for each route; all of them can be sent one after the other. */
export function curlLines(vault: DemoVault): readonly CurlLine[] {
  return routes.map((route) => {
    const { operation, method, body } = route
    const token = method === 'GET' ? 'reader' : 'owner'
    const words = [`-X ${method}`, quoted(vault.origin + targetOf(route, vault))]
    words.push(header(`authorization: Bearer ${vault.tokens[token]}`))
    if (body !== undefined) words.push(header('content-type: application/json'))
    if (body !== undefined) words.push(`-d ${quoted(JSON.stringify(bodyOf(vault, body)))}`)
    const status = operation === 'deleteItem' ? 204 : 200
    return { operation, status, token, line: `curl -sSi -w '\\n' ${words.join(' ')}` }
  })
}

/** The route's path in this vault, with every parameter that can be true. */
function targetOf({ operation, path, query = {} }: Route, vault: DemoVault): string {
  const item = operation === 'deleteItem' ? vault.spareId : vault.itemId
  const parameters = Object.entries(query).flatMap(([name, { type }]) =>
    type === 'boolean' ? [`${name}=true`] : [],
  )
  return [path, ...parameters]
    .join('?')
    .replace('{vaultId}', vault.vaultId)
    .replace('{itemId}', path.includes('{fileId}') ? vault.documentId : item)
    .replace('{fileId}', vault.smallFileId)
}

function bodyOf({ vaultId }: DemoVault, body: NonNullable<Route['body']>): unknown {
  if (body === 'patch') return [{ op: 'add', path: '/tags/-', value: 'seen' }]
  const password = { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true }
  return { category: 'LOGIN', vault: { id: vaultId }, title: 'Shop', fields: [password] }
}

function header(line: string): string {
  return `-H ${quoted(line)}`
}

/** For a shell; none of the words here holds a single quote. */
function quoted(word: string): string {
  return `'${word}'`
}
