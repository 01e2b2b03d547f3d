/** Arbitrary patches of an item. */

import * as fc from 'fast-check'
import { assertLike } from '../../assert-argument.js'
import type { Field, Item, PatchOperation } from '../../index.js'
import { arbitraryValueOf } from './item-drafts.js'
import { arbitraryHostileString, arbitraryUrl } from './strings.js'

/**
 * Returns patches of one to six operations that can be applied to this item: its title, its tags,
 * its URLs, its sections and its fields, by add, replace and remove.
 * @param item An active item, as it is stored now.
 * @throws TypeError if `item` is not an item.
 * @example
 * fc.asyncProperty(arbitraryItemDraft(), fc.gen(), async (draft, draw) => {
 *   await vault.reset() // The item has the same id in every run, so that a failure can be shrunk.
 *   const item = await service.createItem(caller, { vaultId, item: draft })
 *   const patch = draw(arbitraryPatch, item)
 * })
 */
export function arbitraryPatch(item: Item): fc.Arbitrary<readonly PatchOperation[]> {
  assertItem(item)
  // No two operations have the same target, so each can be applied after the others.
  const targets = [
    titleOperations(item),
    tagOperations(item),
    [
      operation('add', '/favorite', fc.boolean()),
      operation(
        'add',
        '/urls/-',
        arbitraryUrl().map((href) => ({ href })),
      ),
    ],
    newElements(item),
    ...item.fields.filter(({ id }) => id !== '-').map(fieldOperations),
  ]
  return fc
    .shuffledSubarray(targets, { minLength: 1, maxLength: Math.min(6, targets.length) })
    .chain((chosen) => fc.tuple(...chosen.map((operations) => fc.oneof(...operations))))
}

/**
 * Returns patches that the service rejects with InvalidInputError (400), so that the item does not
 * change. The last operation cannot be applied: an earlier one could be undone by those after it.
 * @param item An active item, as it is stored now.
 * @throws TypeError if `item` is not an item.
 */
export function arbitraryInvalidPatch(item: Item): fc.Arbitrary<readonly unknown[]> {
  assertItem(item)
  const missingId = freshId(item, 'missing')
  const missing = `/fields/${missingId}`
  const wrong = fc.constantFrom(
    ...['/id', '/version', '/vault', '/createdAt', '/updatedAt', '/lastEditedBy', '/files'].map(
      (path) => ({ op: 'replace', path, value: 'x' }),
    ),
    ...['move', 'copy', 'test', 'toString', ''].map((op) => ({ op, path: '/title', value: 'x' })),
    ...[
      'title',
      '/titel',
      '/__proto__/x',
      '/constructor',
      '/fields/~2',
      '/tags/01',
      '/tags/999',
    ].map((path) => ({ op: 'add', path, value: 'x' })),
    ...[missing, `${missing}/label`].map((path) => ({ op: 'remove', path })),
    { op: 'add', path: '/title' },
    { op: 'add', path: '/title', value: 7 },
    { op: 'remove', path: '/category' },
    { op: 'replace', path: '/category', value: 'LOGINS' },
    { op: 'add', path: '/fields/-', value: { id: 'x', type: 'SECRET' } },
    { op: 'add', path: '/fields/-', value: { id: 'x', section: { id: missingId } } },
    { path: '/title', value: 'x' },
    null,
    'title',
  )
  return fc.tuple(arbitraryPatch(item), wrong).map(([patch, operation]) => [...patch, operation])
}

function assertItem(item: Item): void {
  assertLike(item, { tags: {}, fields: {}, sections: {} }, 'item')
}

type Operations = readonly fc.Arbitrary<PatchOperation>[]

function titleOperations({ title }: Item): Operations {
  const path = '/title'
  const added = operation('add', path, arbitraryHostileString())
  if (title === undefined) return [added]
  return [added, operation('replace', path, arbitraryHostileString()), removal(path)]
}

function tagOperations({ tags }: Item): Operations {
  const tag = arbitraryHostileString()
  const ofElement = tags.flatMap((_, index) => [
    operation('replace', `/tags/${index}`, tag),
    removal(`/tags/${index}`),
  ])
  const list = fc.array(tag, { maxLength: 3 })
  return [operation('add', '/tags/-', tag), operation('replace', '/tags', list), ...ofElement]
}

/** A new field or a new section, with an id that the item does not have. */
function newElements(item: Item): Operations {
  const id = freshId(item, 'new')
  const field = fc.constantFrom(
    { id, type: 'CONCEALED', generate: true },
    { id, type: 'STRING', value: 'x' },
    { id, label: 'new' },
  )
  const withoutId = field.map(({ id: _, ...rest }) => rest)
  return [
    operation('add', '/fields/-', field),
    operation('add', `/fields/${id}`, withoutId),
    operation('add', '/sections/-', fc.constant({ id, label: 'New' })),
  ]
}

function fieldOperations({ id, type, label, value }: Field): Operations {
  const path = `/fields/${toToken(id)}`
  return [
    operation('add', `${path}/value`, arbitraryValueOf(type)),
    operation('add', `${path}/label`, arbitraryHostileString()),
    operation('replace', path, fc.constant({ type: 'CONCEALED', generate: true })),
    operation('replace', path, fc.constant({ type: 'STRING', label: 'replaced', value: 'x' })),
    ...(label === undefined ? [] : [removal(`${path}/label`)]),
    ...(value === undefined ? [] : [removal(`${path}/value`)]),
    removal(path),
  ]
}

function operation(
  op: 'add' | 'replace',
  path: string,
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<PatchOperation> {
  return values.map((value) => ({ op, path, value }))
}

function removal(path: string): fc.Arbitrary<PatchOperation> {
  return fc.constant({ op: 'remove', path })
}

/** Returns an id that no field and no section of the item has, and that begins with `start`. */
function freshId({ fields, sections }: Item, start: string): string {
  const taken = new Set([...fields, ...sections].map(({ id }) => id))
  let id = start
  while (taken.has(id)) id += '-'
  return id
}

/** Escapes an id for a JSON Pointer (RFC 6901, section 3). */
function toToken(id: string): string {
  return id.replaceAll('~', '~0').replaceAll('/', '~1')
}
