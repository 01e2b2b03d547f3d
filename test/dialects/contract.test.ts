import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contractDialect } from '../../src/dialects/contract.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import {
  captureIssues,
  createBody,
  itemId,
  storedItem,
  vaultId,
} from '../support/items/item-builders.js'

const other = 'o'.repeat(26)
const createRef = { vaultId }
const replaceRef = { vaultId, itemId }

/** Attributes that the vault sets, as a client can send them. */
const managedAttributes = {
  state: 'DELETED',
  version: -7,
  createdAt: '0001-01-01T00:00:00Z',
  updatedAt: '2030-01-01T00:00:00.123456+05:30',
  lastEditedBy: '\0',
  files: [{}, { id: '', name: '', size: 0, content_path: '', content: '', section: {} }],
}

describe('contractDialect', () => {
  it('has the name contract', () => {
    expect(contractDialect.name).toBe('contract')
  })

  it('parses only attributes that clients can set', () => {
    const body = createBody({ title: 'Mail', ...managedAttributes, trashed: true })
    expect(contractDialect.parseItem(body, createRef)).toEqual({
      category: 'LOGIN',
      vault: { id: vaultId },
      title: 'Mail',
    })
  })

  it.each([createRef, replaceRef])('rejects an item of another vault: %j', (ref) => {
    const body = createBody({ vault: { id: other } })
    expect(captureIssues(() => contractDialect.parseItem(body, ref))).toEqual([
      { path: 'vault/id', message: 'must be the vault of the operation (vaultId)' },
    ])
  })

  it.each([undefined, {}, { id: '' }, { id: null }, '', null])('rejects the vault %j', (vault) => {
    expect(
      captureIssues(() => contractDialect.parseItem(createBody({ vault }), createRef))[0]?.path,
    ).toMatch(/^vault/)
  })

  it('rejects the id of another item when an item is replaced', () => {
    expect(
      captureIssues(() => contractDialect.parseItem(createBody({ id: other }), replaceRef)),
    ).toEqual([{ path: 'id', message: 'must be the item of the operation (itemId)' }])
  })

  it.each([itemId, undefined])('accepts the id %s when an item is replaced', (id) => {
    expect(contractDialect.parseItem(createBody({ id }), replaceRef)).not.toHaveProperty('id')
  })

  it.each([itemId, other])('ignores the id %s when an item is created', (id) => {
    expect(contractDialect.parseItem(createBody({ id }), createRef)).toEqual(createBody())
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular

  it.each([
    ...['', 'short', '\0', '\ud800', 'x'.repeat(100_000)].map((id) => ({
      id,
      message: 'has an invalid format',
    })),
    ...[null, 5, { id: itemId }, circular].map((id) => ({ id, message: 'must be a string' })),
  ])('rejects a malformed id when an item is created or replaced: case %#', ({ id, message }) => {
    for (const ref of [createRef, replaceRef])
      expect(captureIssues(() => contractDialect.parseItem(createBody({ id }), ref))).toEqual([
        { path: 'id', message },
      ])
  })

  it.each([
    ['state', 'GONE', 'must be one of "ARCHIVED", "DELETED"'],
    ['state', null, 'must be one of "ARCHIVED", "DELETED"'],
    ['version', '7', 'must be a number'],
    ['version', 1.5, 'must be an integer'],
    ['createdAt', 5, 'must be a string'],
    ['createdAt', 'yesterday', 'has an invalid format'],
    ['createdAt', '2026-02-30T00:00:00Z', 'has an invalid format'],
    ['updatedAt', '2026-01-01', 'has an invalid format'],
    ['updatedAt', '2026-01-01T00:00:00', 'has an invalid format'],
    ['updatedAt', '2026-01-01T00:00Z', 'has an invalid format'],
    ['lastEditedBy', null, 'must be a string'],
    ['files', {}, 'must be an array'],
    ['files', [null], 'must be an object', 'files/0'],
    ['files', [{ id: 5 }], 'must be a string', 'files/0/id'],
    ['files', [{ name: [] }], 'must be a string', 'files/0/name'],
    ['files', [{ size: '5' }], 'must be a number', 'files/0/size'],
    ['files', [{ content_path: 5 }], 'must be a string', 'files/0/content_path'],
    ['files', [{ content: 'not base64!' }], 'has an invalid format', 'files/0/content'],
    ['files', [{ section: 'x' }], 'must be an object', 'files/0/section'],
    ['files', [{ section: { id: 5 } }], 'must be a string', 'files/0/section/id'],
    ['fields', [{ id: 'f', entropy: '5' }], 'must be a number', 'fields/0/entropy'],
  ])('checks attributes that the vault sets: %s %j', (name, value, message, path = name) => {
    const body = createBody({ [name]: value })
    for (const ref of [createRef, replaceRef])
      expect(captureIssues(() => contractDialect.parseItem(body, ref))).toEqual([{ path, message }])
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
  ])('rejects %j, which the connect dialect accepts', (changes) => {
    expect(
      captureIssues(() => contractDialect.parseItem(createBody(changes), createRef)),
    ).toHaveLength(1)
  })

  it('accepts a field without a type', () => {
    const { fields } = contractDialect.parseItem(createBody({ fields: [{ id: 'f' }] }), createRef)
    expect(fields).toEqual([{ id: 'f' }])
  })

  it('shares nothing with the body', () => {
    const body = createBody({
      tags: ['a'],
      urls: [{ href: 'https://a.example' }],
      sections: [{ id: 's' }],
      fields: [{ id: 'f', section: { id: 's' }, recipe: { characterSets: ['DIGITS'] } }],
    })
    const parsed = contractDialect.parseItem(body, createRef)
    expect(parsed).toEqual(body)
    const copy = structuredClone(parsed)
    for (const list of ['tags', 'urls', 'sections', 'fields']) {
      const members = body[list] as Record<string, unknown>[]
      Object.assign(members[0] ?? {}, { id: 'changed', href: 'changed' })
      members.push({})
    }
    expect(parsed).toEqual(copy)
  })

  it.each(['createItem', 'replaceItem', 'getItem'] as const)(
    'returns the same object for %s, without a code',
    (name) => {
      const value = 'otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ'
      const item = storedItem({ fields: [{ id: 'f', type: 'TOTP', value }] })
      expect(contractDialect.formatItem(item, name, new Date())).toBe(item)
    },
  )

  it('has no headers and no query aliases', () => {
    expect(contractDialect.headers).toEqual({})
    expect(contractDialect.queryAliases).toEqual({})
  })

  it.each([
    [[], []],
    [[{ op: 'remove', path: '/title', from: 1 }], [{ op: 'remove', path: '/title' }]],
    [[{ op: 'add', path: '', value: null }], [{ op: 'add', path: '', value: null }]],
  ])('parses the patch %j', (body, patch) => {
    expect(contractDialect.parsePatch(body)).toEqual(patch)
  })

  it.each(['Add', 'REPLACE', 'move', 'copy', 'test', ''])('rejects the op %j', (op) => {
    expect(
      captureIssues(() => contractDialect.parsePatch([{ op, path: '/title', value: 'x' }])),
    ).toEqual([{ path: '0/op', message: 'must be one of "add", "remove", "replace"' }])
  })

  it('modifies no prototype for any names in the body', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']
    const json = fc
      .json({ maxDepth: 3 })
      .chain((text) =>
        fc
          .constantFrom(...names)
          .map((name) => `{"${name}":${text},"x":{"${name}":{"polluted":true}}}`),
      )
    const law = fc.property(json, (text) => {
      const hostile: unknown = JSON.parse(text)
      const body = { ...createBody(), ...JSON.parse(`{"__proto__":${text},"constructor":${text}}`) }
      const parsed = contractDialect.parseItem(
        { ...body, fields: [{ id: '__proto__', section: hostile }] },
        createRef,
      )
      return (
        Object.getPrototypeOf(parsed) === Object.prototype &&
        Reflect.get(parsed, 'constructor') === Object &&
        !('polluted' in {})
      )
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns(1000) })).not.toThrow()
  })
})
