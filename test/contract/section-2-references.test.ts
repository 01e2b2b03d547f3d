import { describe, expect, it } from 'vitest'
import {
  contractClient,
  expectAccepted,
  expectError,
  expectRejected,
  expectRejectedBodies,
  missing,
} from './support/contract-client.js'

const wellFormed = 'abcdefghij0123456789klmnop'
const malformed = ['a'.repeat(25), 'a'.repeat(27), 'A'.repeat(26), `${'a'.repeat(25)}-`, 'name']
describe('contract 2.1: identifiers', () => {
  it('2.1-1 ids of vaults are 26 characters of a-z and 0-9', async () => {
    const { send } = await contractClient()
    for (const method of ['GET', 'POST'])
      for (const id of malformed) {
        const body = method === 'POST' ? { body: {} } : {}
        expectError(await send(method, `/v1/vaults/${id}/items`, body), 400, 'Invalid Vault UUID')
      }
    const reply = await send('GET', `/v1/vaults/${wellFormed}/items`)
    expectError(reply, 404, `vault ${wellFormed} not found`)
  })

  it('2.1-2 ids of items are 26 characters of a-z and 0-9', async () => {
    const { send, items, vault } = await contractClient()
    expect(vault.item.id).toMatch(/^[\da-z]{26}$/)
    for (const method of ['GET', 'PUT', 'PATCH'])
      for (const id of malformed) {
        const body = method === 'GET' ? {} : { body: [] }
        expectError(await send(method, `${items}/${id}`, body), 400, 'Invalid Item UUID')
      }
    expectError(await send('GET', `${items}/${wellFormed}`), 404, `item ${wellFormed} not found`)
  })

  it('2.1-3 the ids of the file endpoint are UUIDs: a file is found by its UUID', async () => {
    const { file, vault } = await contractClient()
    const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
    expect(vault.smallFile.id).toMatch(uuid)
    expect((await file(vault.smallFile.id)).json).toStrictEqual(vault.smallFile)
    expectError(await file(missing.file), 404, `file ${missing.file} not found`)
  })
})

describe('contract 2.3: the URL', () => {
  const withUrl = (url: object): object => ({ urls: [url] })

  it('2.3-1 href is a required string that is a URL', async () => {
    const client = await contractClient()
    const href = 'https://a.example:8443/path?query=1#part'
    const [item] = await expectAccepted(client, withUrl({ href }))
    expect(item).toMatchObject({ urls: [{ href }] })
    const others = [undefined, null, 7, '', 'a.example', '/login', '//a.example', 'https://']
    await expectRejected(
      client,
      /^urls\/0\/href must be/,
      ...others.map((value) => withUrl({ href: value })),
    )
  })

  it.each([
    ['2.3-2 label is an optional string', 'label', ['website', ''], [7, null]],
    ['2.3-3 primary is an optional boolean', 'primary', [true, false], ['true', 1, null]],
  ] as const)('%s', async (_title, name, accepted, rejected) => {
    const client = await contractClient()
    const href = 'https://a.example'
    const created = await expectAccepted(
      client,
      ...accepted.map((value) => withUrl({ href, [name]: value })),
    )
    expect(created.map(({ urls }) => urls)).toEqual(
      accepted.map((value) => [{ href, [name]: value }]),
    )
    await expectAccepted(client, withUrl({ href }))
    const message = new RegExp(`^urls/0/${name} must be a`)
    await expectRejected(
      client,
      message,
      ...rejected.map((value) => withUrl({ href, [name]: value })),
    )
  })
})

describe('contract 2.4: the vault of an item', () => {
  it('2.4-1 id is a required string of 26 characters', async () => {
    const client = await contractClient()
    const { vaultId } = client.vault
    expect((await client.create({ vault: { id: vaultId } })).json).toMatchObject({
      vault: { id: vaultId },
    })
    const others = [undefined, null, 7, '', ...malformed]
    await expectRejectedBodies(client, /^vault\/id /, ...others.map((id) => ({ vault: { id } })))
  })
})
