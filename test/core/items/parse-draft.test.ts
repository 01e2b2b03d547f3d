import { describe, expect, it } from 'vitest'
import { parseDraft } from '../../../src/core/items/parse-draft.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import {
  type Body,
  bodyOf,
  building,
  issuesOf,
  vaultId,
} from '../../support/items/item-builders.js'

const tooMany = Array.from({ length: 101 }, () => 'tag')

describe('readDraft', () => {
  it('reads a body as the dialect does', () => {
    const context = building()
    const body = bodyOf({ title: 'Mail', trashed: true })
    expect(parseDraft(context, body, { vaultId })).toEqual(
      context.dialect.parseItem(body, { vaultId }),
    )
  })

  it.each([
    ['counts', { title: '\0', tags: tooMany, category: 'NONSENSE' }, ['tags']],
    ['form', { title: '\0', category: 'NONSENSE', urls: [{ href: 'data:,x' }] }, ['category']],
    ['texts', { title: '\0', tags: ['\ud800'], urls: [{ href: 'data:,x' }] }, ['title', 'tags/0']],
  ])('looks at the %s before what comes after', (_what, changes, paths) => {
    const issues = issuesOf(() => parseDraft(building(), bodyOf(changes), { vaultId }))
    expect(issues.map(({ path }) => path)).toEqual(paths)
  })

  it('counts again what the dialect has added', () => {
    const context = { ...building({ limits: { sections: 2 } }), dialect: connectDialect }
    const naming = (count: number): Body => {
      const ids = Array.from({ length: count }, (_, index) => `s${index}`)
      return bodyOf({ sections: [{ id: 's0' }], fields: ids.map((id) => ({ section: { id } })) })
    }
    expect(parseDraft(context, naming(2), { vaultId }).sections).toHaveLength(2)
    expect(issuesOf(() => parseDraft(context, naming(3), { vaultId }))).toEqual([
      { path: 'sections', message: 'must be at most 2 elements long' },
    ])
  })

  it.each([undefined, null, 'text', 5, true])('refuses %j, which is no body', (body) => {
    expect(issuesOf(() => parseDraft(building(), body, { vaultId }))).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })
})
