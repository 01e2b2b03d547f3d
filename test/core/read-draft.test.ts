import { describe, expect, it } from 'vitest'
import { readDraft } from '../../src/core/read-draft.js'
import { bodyOf, building, issuesOf, vaultId } from '../support/building.js'

const tooMany = Array.from({ length: 101 }, () => 'tag')

describe('readDraft', () => {
  it('reads a body as the dialect does', () => {
    const context = building()
    const body = bodyOf({ title: 'Mail', trashed: true })
    expect(readDraft(context, body, { vaultId })).toEqual(
      context.dialect.readItem(body, { vaultId }),
    )
  })

  it.each([
    ['counts', { title: '\0', tags: tooMany, category: 'NONSENSE' }, ['tags']],
    ['form', { title: '\0', tags: [], category: 'NONSENSE' }, ['category']],
    ['texts', { title: '\0', tags: ['\ud800'], urls: [{ href: 'nowhere' }] }, ['title', 'tags/0']],
  ])('looks at the %s before what comes after', (_what, changes, paths) => {
    const issues = issuesOf(() => readDraft(building(), bodyOf(changes), { vaultId }))
    expect(issues.map(({ path }) => path)).toEqual(paths)
  })

  it.each([undefined, null, 'text', 5, true])('refuses %j, which is no body', (body) => {
    expect(issuesOf(() => readDraft(building(), body, { vaultId }))).toEqual([
      { path: '', message: 'must be an object' },
    ])
  })
})
