/** Hostile ids: of another vault or item, or with escapes, SQL or names of prototypes. */

import { itemDraft } from '../../testing.js'
import type { HostileRequest, ServiceSetup } from './hostile-case.js'

const vault = '/v1/vaults/{vaultId}'
const item = `${vault}/items/{itemId}`

/** Adds an item in another vault, and a second one in the same vault. */
const withOtherItems: ServiceSetup = {
  async prepare({ service, caller, vaultId }) {
    const { id: otherVaultId } = await service.createVault(caller, { name: 'Other' })
    const create = async (id: string): Promise<string> =>
      (await service.createItem(caller, { vaultId: id, item: itemDraft('LOGIN') })).id
    return {
      otherVaultId,
      foreignId: await create(otherVaultId),
      secondId: await create(vaultId),
    }
  },
}

const patch = [{ op: 'add', path: '/title', value: 'x' }]

/** Returns every call on an item that the vault of the path does not have. */
function onItem(label: string, vaultId: string, itemId: string): HostileRequest[] {
  const calls: readonly (readonly [method: string, rest: string, json?: unknown])[] = [
    ['GET', ''],
    ['PUT', '', { category: 'LOGIN', vault: { id: vaultId } }],
    ['PATCH', '', patch],
    ['PATCH', '', []],
    ['DELETE', ''],
    ['GET', '/files'],
    ['GET', '/files/{smallFileId}'],
    ['GET', '/files/{smallFileId}/content'],
  ]
  return calls.map(([method, rest, json], index) => ({
    name: `${method} ${rest.replace(/\{\w+\}/, 'file')} of ${label} (${index})`,
    method,
    target: `/v1/vaults/${vaultId}/items/${itemId}${rest}`,
    ...(json !== undefined && { json }),
    status: 404,
    message:
      rest === '/files/{smallFileId}' ? 'file {smallFileId} not found' : `item ${itemId} not found`,
    setup: withOtherItems,
  }))
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
  ...onItem("another vault's item", '{vaultId}', '{foreignId}'),
  ...onItem('an item under another vault', '{otherVaultId}', '{itemId}'),
  ...[
    ["another item's file", `${vault}/items/{secondId}/files/{smallFileId}`, 'file '],
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
    `${'0'.repeat(25)}%30`,
    `${'0'.repeat(25)}!`,
    `${'0'.repeat(26)}%00`,
    `${'0'.repeat(26)}%0a`,
    '__proto__',
    'constructor',
    '0'.repeat(4000),
    "'%20or%20'1'='1",
    '*',
  ].flatMap(malformed),
]
