import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildItem, parseDraft } from '../../../src/core/items/build-item.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { InvalidInputError } from '../../../src/errors.js'
import { itemSchema } from '../../../src/schema/item.js'
import { itemContent, marker } from '../../support/arbitraries/bodies.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import {
  type Body,
  buildFromBody,
  captureIssues,
  createBody,
  createBuildContext,
  itemId,
  storedField,
  storedItem,
  vaultId,
} from '../../support/items/item-builders.js'

const tooManyTags = Array.from({ length: 101 }, () => 'tag')
const file = { id: 'f'.repeat(26), name: 'a.txt', size: 5, content_path: '/v1/x' }

describe('buildItem', () => {
  it('uses defaults for members that are missing in the body', () => {
    expect(buildFromBody()).toStrictEqual(storedItem())
  })

  it('keeps the managed members of the stored item, whatever the body contains', () => {
    const before = storedItem({ state: 'ARCHIVED', files: [file] })
    const managed = {
      id: itemId,
      state: 'DELETED',
      version: 99,
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '9999-12-31T23:59:59.999Z',
      lastEditedBy: 'the client',
      files: [],
    }
    expect(buildFromBody(managed, before)).toEqual(before)
  })

  it('keeps no member of the stored item that a client can set', () => {
    const before = storedItem({
      title: 'Old',
      favorite: true,
      tags: ['old'],
      urls: [{ href: 'https://old.example' }],
      sections: [{ id: 'old' }],
      fields: [storedField({ id: 'old' })],
    })
    expect(buildFromBody({ category: 'SECURE_NOTE' }, before)).toEqual(
      storedItem({ category: 'SECURE_NOTE' }),
    )
  })

  it('returns every member that a client can set, in the given order', () => {
    const set = {
      category: 'CUSTOM',
      title: '',
      favorite: true,
      tags: ['b', 'a', 'b'],
      urls: [
        { href: 'https://b.example', label: '', primary: false },
        { href: 'https://a.example' },
      ],
      sections: [{ id: 'z', label: 'Z' }, { id: '' }, { id: 'a' }],
      fields: [
        { id: 'z', type: 'MENU', label: '', value: '', purpose: '', section: { id: '' } },
        { id: '', type: 'STRING', section: {} },
        { id: 'a~1/b "c" \u{1f600}', type: 'CONCEALED', value: 'v', section: { id: 'z' } },
      ],
    }
    expect(buildFromBody(set)).toEqual({ ...storedItem(), ...set })
  })

  it('removes unknown members at every level', () => {
    const unknown = { trashed: true, 'x-y': 1 }
    const item = buildFromBody({
      ...unknown,
      vault: { id: vaultId, ...unknown },
      urls: [{ href: 'https://a.example', ...unknown }],
      sections: [{ id: 's', ...unknown }],
      fields: [{ id: 'f', section: { id: 's', ...unknown }, ...unknown }],
    })
    expect(item).toStrictEqual(
      storedItem({
        urls: [{ href: 'https://a.example' }],
        sections: [{ id: 's' }],
        fields: [storedField({ id: 'f', section: { id: 's' } })],
      }),
    )
  })

  it('generates an id for a section without an id', () => {
    const [first, second] = buildFromBody({ sections: [{ label: 'A' }, {}] }).sections
    expect(first).toEqual({ id: expect.stringMatching(/^[a-z2-7]{26}$/), label: 'A' })
    expect(second).toEqual({ id: expect.stringMatching(/^[a-z2-7]{26}$/) })
    expect(first?.id).not.toBe(second?.id)
  })

  it.each([
    [
      'sections',
      { sections: [{ id: 'a' }, { id: 'b' }, { id: 'a' }] },
      'sections/2/id must not be the id of another section',
    ],
    [
      'fields',
      { fields: [{ id: '' }, { id: 'b' }, { id: '' }] },
      'fields/2/id must not be the id of another field',
    ],
    [
      'purposes',
      {
        fields: [
          { id: 'a', purpose: 'PASSWORD' },
          { id: 'b', purpose: 'PASSWORD' },
        ],
      },
      'fields/1/purpose must not be the purpose of another field',
    ],
    [
      'references to sections',
      { sections: [{ id: 'a' }], fields: [{ id: 'f', section: { id: 'b' } }] },
      'fields/0/section/id must be the id of a section of the item',
    ],
  ])('rejects invalid %s', (_case, changes, message) => {
    expect(() => buildFromBody(changes)).toThrow(new RegExp(`^${message}$`))
  })

  it('accepts the same id for a section and a field, and one field of each purpose', () => {
    const fields = ['USERNAME', 'PASSWORD', 'NOTES', '', ''].map((purpose, index) => ({
      id: `${index}`,
      purpose,
    }))
    const item = buildFromBody({ sections: [{ id: '0' }], fields })
    expect(item.fields.map(({ purpose }) => purpose)).toEqual([
      'USERNAME',
      'PASSWORD',
      'NOTES',
      '',
      '',
    ])
  })

  it('rejects a reference to a section without an id', () => {
    expect(
      captureIssues(() =>
        buildFromBody({ sections: [{}], fields: [{ id: 'f', section: { id: '' } }] }),
      ),
    ).toHaveLength(1)
  })

  it('reports the path of every broken rule', () => {
    const changes = {
      sections: [{ id: 's' }, { id: 's' }],
      urls: [{ href: 'javascript:x' }, { href: 'data:,x' }],
      fields: [
        { id: 'f', section: { id: 'x' }, type: 'DATE', value: 'x' },
        { id: 'f', value: null },
        {
          id: 'g',
          generate: true,
          recipe: { characterSets: ['DIGITS'], excludeCharacters: '012345678' },
        },
      ],
    }
    expect(captureIssues(() => buildFromBody(changes)).map(({ path }) => path)).toEqual([
      'sections/1/id',
      'urls/0/href',
      'urls/1/href',
      'fields/0/section/id',
      'fields/0/value',
      'fields/1/id',
      'fields/1/value',
      'fields/2/recipe/excludeCharacters',
    ])
  })

  it('returns a valid item or throws an error that contains no part of the body', () => {
    const counts = { built: 0, rejected: 0 }
    const law = fc.property(itemContent, (body) => {
      const item = resultOrInvalidInput(() => buildFromBody(body))
      if (item instanceof InvalidInputError) {
        counts.rejected++
        expect(JSON.stringify([item.message, item.issues, item.stack])).not.toContain(marker)
      } else {
        counts.built++
        expect(itemSchema.parse(item)).toEqual(item)
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(propertyRuns(20))
  })

  it('returns the same item when its result is the next body', () => {
    const law = fc.property(itemContent, (body) => {
      const context = createBuildContext()
      const item = resultOrInvalidInput(() => buildFromBody(body, storedItem(), context))
      if (item instanceof InvalidInputError) return
      const draft = parseDraft(context, structuredClone(item), { vaultId, itemId })
      expect(buildItem(context, draft, item)).toEqual(item)
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it('changes neither the body nor the stored item', () => {
    const before = storedItem({ fields: [storedField({ id: 'f', value: 'old' })] })
    const body = { tags: ['a'], fields: [{ id: 'f', generate: true }], sections: [{}] }
    const copies = structuredClone([before, body])
    buildFromBody(body, before)
    expect([before, body]).toEqual(copies)
  })
})

describe('parseDraft', () => {
  it('returns the draft that the dialect parses', () => {
    const context = createBuildContext()
    const body = createBody({ title: 'Mail', trashed: true })
    expect(parseDraft(context, body, { vaultId })).toEqual(
      context.dialect.parseItem(body, { vaultId }),
    )
  })

  it.each([
    ['counts', { title: '\0', tags: tooManyTags, category: 'NONSENSE' }, ['tags']],
    ['schema', { title: '\0', category: 'NONSENSE', urls: [{ href: 'data:,x' }] }, ['category']],
  ])('checks the %s before the later rules', (_case, changes, paths) => {
    const issues = captureIssues(() =>
      parseDraft(createBuildContext(), createBody(changes), { vaultId }),
    )
    expect(issues.map(({ path }) => path)).toEqual(paths)
  })

  it('checks the counts again after the dialect has added sections', () => {
    const context = { ...createBuildContext({ limits: { sections: 2 } }), dialect: connectDialect }
    const bodyWithSections = (count: number): Body => {
      const ids = Array.from({ length: count }, (_, index) => `s${index}`)
      return createBody({
        sections: [{ id: 's0' }],
        fields: ids.map((id) => ({ section: { id } })),
      })
    }
    expect(parseDraft(context, bodyWithSections(2), { vaultId }).sections).toHaveLength(2)
    expect(captureIssues(() => parseDraft(context, bodyWithSections(3), { vaultId }))).toEqual([
      { path: 'sections', message: 'must be at most 2 elements long' },
    ])
  })

  it.each([undefined, null, 'text', 5, true])('rejects %j, which is not an object', (body) => {
    expect(captureIssues(() => parseDraft(createBuildContext(), body, { vaultId }))).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })
})

function resultOrInvalidInput<Result>(work: () => Result): Result | InvalidInputError {
  try {
    return work()
  } catch (error) {
    if (error instanceof InvalidInputError) return error
    throw error
  }
}
