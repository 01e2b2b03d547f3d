import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contractDialect } from '../../src/dialects/contract.js'
import { bodyOf, issuesOf, itemId, storedItem, vaultId } from '../support/building.js'

const other = 'o'.repeat(26)
const created = { vaultId }
const replaced = { vaultId, itemId }

describe('the contract dialect', () => {
  it('has the name contract', () => {
    expect(contractDialect.name).toBe('contract')
  })

  it('reads what a client may set, and no more', () => {
    const body = bodyOf({ title: 'Mail', version: 7, state: 'DELETED', files: [{}], trashed: true })
    expect(contractDialect.readItem(body, created)).toEqual({
      category: 'LOGIN',
      vault: { id: vaultId },
      title: 'Mail',
    })
  })

  it.each([created, replaced])('refuses an item of another vault than the path’s: %j', (place) => {
    const body = bodyOf({ vault: { id: other } })
    expect(issuesOf(() => contractDialect.readItem(body, place))).toEqual([
      { path: 'vault/id', message: 'must be the vault of the operation' },
    ])
  })

  it.each([undefined, {}, { id: '' }, { id: null }, '', null])(
    'requires the vault, so refuses %j',
    (vault) => {
      expect(issuesOf(() => contractDialect.readItem(bodyOf({ vault }), created))[0]?.path).toMatch(
        /^vault/,
      )
    },
  )

  it.each([other, '', null, 5, { id: itemId }])(
    'refuses to replace an item by one of the id %j',
    (id) => {
      expect(issuesOf(() => contractDialect.readItem(bodyOf({ id }), replaced))).toEqual([
        { path: 'id', message: 'must be the item of the operation' },
      ])
    },
  )

  it.each([itemId, undefined])('replaces an item by one of the id %s', (id) => {
    expect(contractDialect.readItem(bodyOf({ id }), replaced)).not.toHaveProperty('id')
  })

  it.each([itemId, other, 'short', null, 5, '\0', '\ud800', 'x'.repeat(100_000)])(
    'ignores the id of an item that is created: case %#',
    (id) => {
      expect(contractDialect.readItem(bodyOf({ id }), created)).toEqual(bodyOf())
    },
  )

  it('ignores an id that goes round in a circle', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(contractDialect.readItem(bodyOf({ id: circle }), created)).toEqual(bodyOf())
  })

  it.each([
    { category: 'login' },
    { fields: [{ type: 'STRING' }] },
    { fields: [{ id: 'f', type: 'string' }] },
    { fields: [{ id: 'f', type: 'OTP' }] },
    { fields: [{ id: 'f', purpose: 'password' }] },
    { fields: [{ id: 'f', label: null }] },
    { fields: [{ id: 'f', recipe: { length: 0 } }] },
    { urls: [{ href: '', primary: true }] },
    { title: null },
    { tags: null },
  ])('takes the contract at its word and refuses %j', (changes) => {
    expect(issuesOf(() => contractDialect.readItem(bodyOf(changes), created))).toHaveLength(1)
  })

  it('reads a field without a type, for which the contract has a default', () => {
    const { fields } = contractDialect.readItem(bodyOf({ fields: [{ id: 'f' }] }), created)
    expect(fields).toEqual([{ id: 'f' }])
  })

  it('shares nothing with the body that it has read', () => {
    const body = bodyOf({
      tags: ['a'],
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
      fields: [{ id: 'f', section: { id: 's' }, recipe: { characterSets: ['DIGITS'] } }],
    })
    const read = contractDialect.readItem(body, created)
    expect(read).toEqual(body)
    const copy = structuredClone(read)
    for (const list of ['tags', 'urls', 'sections', 'fields']) {
      const members = body[list] as Record<string, unknown>[]
      Object.assign(members[0] ?? {}, { id: 'changed', href: 'changed' })
      members.push({})
    }
    expect(read).toEqual(copy)
  })

  it.each(['createItem', 'replaceItem', 'getItem'] as const)(
    'answers to %s the very item that is stored, without a code',
    (name) => {
      const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ'
      const item = storedItem({ fields: [{ id: 'f', type: 'TOTP', value }] })
      expect(contractDialect.answerItem(item, name, new Date())).toBe(item)
    },
  )

  it('adds no headers and knows no other names', () => {
    expect(contractDialect.headers).toEqual({})
    expect(contractDialect.queryNames).toEqual({})
  })

  it.each([
    [[], []],
    [[{ op: 'remove', path: '/title', from: 1 }], [{ op: 'remove', path: '/title' }]],
    [[{ op: 'add', path: '', value: null }], [{ op: 'add', path: '', value: null }]],
  ])('reads the patch %j', (body, patch) => {
    expect(contractDialect.readPatch(body)).toEqual(patch)
  })

  it.each(['Add', 'REPLACE', 'move', 'copy', 'test', ''])(
    'refuses the patch operation %j',
    (op) => {
      expect(
        issuesOf(() => contractDialect.readPatch([{ op, path: '/title', value: 'x' }])),
      ).toEqual([{ path: '0/op', message: 'must be one of "add", "remove", "replace"' }])
    },
  )

  it('leaves every prototype as it was, whatever names a body uses', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const json = fc
      .json({ maxDepth: 3 })
      .chain((text) =>
        fc
          .constantFrom(...names)
          .map((name) => `{"${name}":${text},"x":{"${name}":{"polluted":true}}}`),
      )
    const law = fc.property(json, (text) => {
      const poison: unknown = JSON.parse(text)
      const body = { ...bodyOf(), ...JSON.parse(`{"__proto__":${text},"constructor":${text}}`) }
      const read = contractDialect.readItem(
        { ...body, fields: [{ id: '__proto__', section: poison }] },
        created,
      )
      return (
        Object.getPrototypeOf(read) === Object.prototype &&
        Reflect.get(read, 'constructor') === Object &&
        !('polluted' in {})
      )
    })
    expect(() => fc.assert(law, { numRuns: 1000 })).not.toThrow()
  })
})
