import { describe, expect, it } from 'vitest'
import { parseDraft } from '../../../src/core/items/build-item.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import {
  type Body,
  captureIssues,
  createBody,
  createBuildContext,
  vaultId,
} from '../../support/items/item-builders.js'

const tooManyTags = Array.from({ length: 101 }, () => 'tag')

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
