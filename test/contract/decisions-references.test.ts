import { describe, expect, it } from 'vitest'
import {
  type ContractClient,
  contractClient,
  expectError,
  expectUnchanged,
  fieldIn,
  type Reply,
} from './support/contract-client.js'

const more = [{ id: 'more', label: 'More' }]
const both = [...more, { id: 'other' }]

/** Every way to send fields that replace those of the stored item, beside these sections. */
const waysToSendFields: readonly ((
  client: ContractClient,
  fields: readonly object[],
  sections: readonly object[],
) => Promise<Reply>)[] = [
  ({ replace }, fields, sections) => replace({ fields, sections }),
  ...['', '/'].map(
    (path): (typeof waysToSendFields)[number] =>
      ({ patch, vault }, fields, sections) => {
        const vaultReference = { vault: { id: vault.vaultId } }
        const value = { category: 'LOGIN', ...vaultReference, fields, sections }
        return patch([{ op: 'replace', path, value }])
      },
  ),
  ...['add', 'replace'].map(
    (op): (typeof waysToSendFields)[number] =>
      ({ patch }, fields, sections) =>
        patch([
          { op: 'replace', path: '/sections', value: sections },
          { op, path: '/fields', value: fields },
        ]),
  ),
]

describe('decisions on references to fields', () => {
  it('references-1 a field with only an id keeps type, label, value, purpose and section', async () => {
    for (const send of waysToSendFields) {
      const client = await contractClient()
      const [username, password, pin] = client.vault.item.fields
      const { status, json } = await send(client, [{ id: 'pin' }, { id: 'username' }], both)
      expect(status).toBe(200)
      expect(json).toHaveProperty('fields', [pin, username])
      expect(password?.value).toBe('correct horse')
      expect(await client.read()).toStrictEqual(json)
      // Some clients write every boolean.
      const again = await send(client, [{ id: 'pin', generate: false }], more)
      expect([again.status, fieldIn(again.json, 'pin')]).toStrictEqual([200, pin])
    }
  })

  it('references-2 a reference to a generated password keeps its entropy', async () => {
    for (const send of waysToSendFields) {
      const client = await contractClient()
      const password = { id: 'p', type: 'CONCEALED', purpose: 'PASSWORD', generate: true }
      const before = fieldIn((await client.replace({ fields: [password] })).json, 'p')
      expect(before).toHaveProperty('entropy')
      const { json } = await send(client, [{ id: 'p' }], [])
      expect(fieldIn(json, 'p')).toStrictEqual(before)
    }
  })

  it('references-3 a section in the reference is checked and replaces that of the field', async () => {
    for (const send of waysToSendFields) {
      const client = await contractClient()
      const pin = client.vault.item.fields[2]
      await expectUnchanged(client, async () => {
        for (const section of ['other', { id: 7 }, { id: 'none' }]) {
          const reply = await send(client, [{ id: 'pin', section }], both)
          expectError(reply, 400, /fields\/0\/section/)
        }
      })
      const { json } = await send(client, [{ id: 'pin', section: { id: 'other' } }], both)
      expect(fieldIn(json, 'pin')).toStrictEqual({ ...pin, section: { id: 'other' } })
    }
  })

  it('references-4 without a section, a section that the item no longer has is removed', async () => {
    for (const send of waysToSendFields) {
      const client = await contractClient()
      const { section, ...rest } = { ...client.vault.item.fields[2] }
      expect(section).toEqual({ id: 'more' })
      const { status, json } = await send(client, [{ id: 'pin' }], [{ id: 'other' }])
      expect([status, fieldIn(json, 'pin')]).toStrictEqual([200, rest])
    }
  })

  it('references-5 a reference to a missing field is 400', async () => {
    for (const send of waysToSendFields) {
      const client = await contractClient()
      await expectUnchanged(client, async () => {
        for (const field of [{ id: 'puk' }, { id: 'puk', section: { id: 'more' } }]) {
          const reply = await send(client, [{ id: 'pin' }, field], more)
          expectError(reply, 400, /(?:^|: )The item doesn't have a puk field\.$/)
        }
      })
    }
  })

  it('references-6 any defining attribute makes it a new or a replacing field', async () => {
    const definitions = [
      { type: 'EMAIL' },
      { type: 'CONCEALED' },
      { label: 'New' },
      { value: 'new' },
      { purpose: '' },
      { generate: true, value: 'new' },
      { recipe: { length: 8 } },
    ]
    for (const send of waysToSendFields)
      for (const definition of definitions) {
        const client = await contractClient()
        const { generate: _, recipe: __, ...stored } = { type: 'STRING', ...Object(definition) }
        for (const id of ['puk', 'pin']) {
          const { status, json } = await send(client, [{ id, ...definition }], more)
          expect([status, fieldIn(json, id)]).toStrictEqual([200, { id, ...stored }])
        }
      }
  })

  it('references-7 a PATCH of one field accepts a reference in the same way', async () => {
    for (const op of ['add', 'replace']) {
      const client = await contractClient()
      const pin = client.vault.item.fields[2]
      const path = '/fields/pin'
      const same = await client.patch([{ op, path, value: { id: 'pin' } }])
      expect(fieldIn(same.json, 'pin')).toStrictEqual(pin)
      const moved = await client.patch([
        { op: 'add', path: '/sections/-', value: { id: 'other' } },
        { op, path, value: { id: 'pin', section: { id: 'other' } } },
      ])
      expect(fieldIn(moved.json, 'pin')).toStrictEqual({ ...pin, section: { id: 'other' } })
      const left = await client.patch([
        { op: 'replace', path: '/sections', value: [] },
        { op, path, value: { id: 'pin' } },
      ])
      expect(fieldIn(left.json, 'pin')).not.toHaveProperty('section')
      await expectUnchanged(client, async () => {
        const reply = await client.patch([{ op, path: '/fields/puk', value: { id: 'puk' } }])
        expectError(reply, 400, /: The item doesn't have a puk field\.$/)
      })
    }
  })

  it('references-8 in POST a field with only an id is a new field', async () => {
    const { create } = await contractClient()
    const { status, json } = await create({ fields: [{ id: 'pin' }] })
    expect(status).toBe(200)
    expect(json).toHaveProperty('fields', [{ id: 'pin', type: 'STRING' }])
  })
})
