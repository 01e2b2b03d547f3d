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

const createRef = { vaultId }

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

  const circular: Record<string, unknown> = {}
  circular['self'] = circular

  it.each([
    ...['\0', '\ud800', 'x'.repeat(100_000)].map((id) => ({
      id,
      message: 'has an invalid format',
    })),
    ...[{ id: itemId }, circular].map((id) => ({ id, message: 'must be a string' })),
  ])('rejects a malformed id when an item is created or replaced: case %#', ({ id, message }) => {
    for (const ref of [{ vaultId }, { vaultId, itemId }])
      expect(captureIssues(() => contractDialect.parseItem(createBody({ id }), ref))).toEqual([
        { path: 'id', message },
      ])
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
    expect(() => fc.assert(law, { numRuns: propertyRuns(100) })).not.toThrow()
  })
})
