/** Hostile ids: absent, malformed, deleted, or of another vault or item. */

import { loginDraft } from '../../testing.js'
import type { HostileRequest, ServiceSetup } from './hostile-case.js'

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`
const absentId = '0'.repeat(26)

/** Adds an item in another vault, a second one in the same vault, and a deleted one. */
const withOtherItems: ServiceSetup = {
  async prepare({ service, caller, vaultId }) {
    const { id: otherVaultId } = await service.createVault(caller, { name: 'Other' })
    const create = async (id: string): Promise<string> =>
      (await service.createItem(caller, { vaultId: id, item: loginDraft(id) })).id
    const deletedId = await create(vaultId)
    await service.setItemState(caller, { vaultId, itemId: deletedId, state: 'DELETED' })
    return {
      otherVaultId,
      deletedId,
      foreignId: await create(otherVaultId),
      secondId: await create(vaultId),
    }
  },
}

const draft = { category: 'LOGIN', vault: { id: '{vaultId}' } }
const patch = [{ op: 'add', path: '/title', value: 'x' }]

/** Calls on an item: method, rest of the path, and body. */
const calls: readonly (readonly [string, string, unknown?])[] = [
  ['GET', ''],
  ['PUT', '', draft],
  ['PATCH', '', patch],
  ['PATCH', '', []],
  ['DELETE', ''],
  ['GET', '/files'],
  ['GET', '/files/{smallFileId}'],
  ['GET', '/files/{smallFileId}/content'],
]

function onItem(label: string, target: string, status: number, message: string): HostileRequest[] {
  return calls.map(([method, rest, json], index) => ({
    name: `${method} ${rest.replace(/\{\w+\}/, 'file')} of ${label} (${index})`,
    method,
    target: target + rest,
    ...(json !== undefined && { json: withVaultOfPath(json, target) }),
    status,
    message: missingResourceMessage(method, rest) ?? message,
    setup: withOtherItems,
  }))
}

/**
 * The part of the message that does not depend on what is missing: contract, section 7, has no 404
 * for a vault here.
 */
function missingResourceMessage(method: string, rest: string): string | undefined {
  if (method === 'PATCH') return 'item '
  return rest === '/files/{smallFileId}' ? 'file {smallFileId} not found' : undefined
}

/** Sets the vault id of the body to that of the path, so that only the path is invalid. */
function withVaultOfPath(json: unknown, target: string): unknown {
  const vaultId = target.split('/')[3] ?? ''
  return /^\{|^0/.test(vaultId) && !Array.isArray(json)
    ? { ...draft, vault: { id: vaultId } }
    : json
}

function malformed(id: string): HostileRequest[] {
  return (['full', 'otherVault'] as const).flatMap((as) => [
    {
      status: 400,
      name: `the vault id ${id.slice(0, 30)}, requested by ${as}`,
      target: `/v1/vaults/${id}`,
      as,
      message: 'Invalid Vault UUID',
    },
    {
      status: 400,
      name: `the item id ${id.slice(0, 30)}, requested by ${as}`,
      target: `${vault}/items/${id}`,
      as,
      message: 'Invalid Item UUID',
    },
    {
      status: as === 'full' ? 404 : 403,
      name: `a file of the item id ${id.slice(0, 30)}, requested by ${as}`,
      target: `${vault}/items/${id}/files/{smallFileId}`,
      as,
      message: as === 'full' ? 'file {smallFileId} not found' : 'vault {vaultId} is not in scope',
    },
    {
      status: as === 'full' ? 404 : 403,
      name: `a file in the vault id ${id.slice(0, 30)}, requested by ${as}`,
      target: `/v1/vaults/${id}/items/{itemId}/files/{smallFileId}`,
      as,
      message: as === 'full' ? 'file {smallFileId} not found' : 'is not in scope',
    },
  ])
}

/** Requests with a hostile id. */
export const hostileResourceIds: readonly HostileRequest[] = [
  ...onItem(
    'an absent vault',
    `/v1/vaults/${absentId}/items/{itemId}`,
    404,
    `vault ${absentId} not found`,
  ),
  ...onItem('an absent item', `${vault}/items/${absentId}`, 404, `item ${absentId} not found`),
  ...onItem("another vault's item", `${vault}/items/{foreignId}`, 404, 'item '),
  ...onItem(
    'an item under another vault',
    '/v1/vaults/{otherVaultId}/items/{itemId}',
    404,
    'item ',
  ),
  ...onItem('a deleted item', `${vault}/items/{deletedId}`, 404, 'item '),
  { name: 'an absent vault', target: `/v1/vaults/${absentId}`, status: 404, message: 'not found' },
  { name: "an absent vault's items", target: `/v1/vaults/${absentId}/items`, status: 404 },
  ...[
    ['an absent file', `${item}/files/${absentId}`, `file ${absentId} not found`],
    [
      'a file by an absent UUID',
      `${item}/files/${'0192d3a4-5678-7abc-8def-0123456789ab'}`,
      'file ',
    ],
    ["another item's file", `${vault}/items/{secondId}/files/{smallFileId}`, 'file '],
    ['a malformed file id', `${item}/files/no-id`, 'file no-id not found'],
    ['a file id in upper case', `${item}/files/${'A'.repeat(26)}`, 'file '],
    ['a file id with an escape', `${item}/files/${'0'.repeat(25)}%30`, 'file not found'],
    ['a file with the id __proto__', `${item}/files/__proto__`, 'file __proto__ not found'],
  ].flatMap(([name = '', target = '', message = '']) => [
    { name, target, status: 404, message, setup: withOtherItems },
    {
      name: `the content of ${name}`,
      target: `${target}/content`,
      status: 404,
      message,
      setup: withOtherItems,
    },
  ]),
  ...[
    'short',
    'A'.repeat(26),
    '0'.repeat(25),
    '0'.repeat(27),
    `${'0'.repeat(25)}%30`,
    `${'0'.repeat(25)}!`,
    `${'0'.repeat(26)}%00`,
    `${'0'.repeat(26)}%0a`,
    '-'.repeat(26),
    '__proto__',
    'constructor',
    '0192d3a4-5678-7abc-8def-0123456789ab',
    '0'.repeat(4000),
    "'%20or%20'1'='1",
    '*',
  ].flatMap(malformed),
]
