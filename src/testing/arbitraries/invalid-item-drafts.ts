/** Arbitrary item drafts that break one rule. */

import * as fc from 'fast-check'
import { arbitraryItemDraft } from './item-drafts.js'
import { arbitraryInvalidString } from './strings.js'

/**
 * Returns drafts that a service with the contract dialect rejects with InvalidInputError (400). Each
 * is a valid draft in which one rule is broken: a wrong type, an unknown value, a duplicate, a
 * reference to a missing section, an impossible recipe or a string that is not Unicode.
 */
export function arbitraryInvalidItemDraft(): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const text = arbitraryInvalidString()
  const id = 'broken'
  const wrongMembers: readonly fc.Arbitrary<Readonly<Record<string, unknown>>>[] = [
    fc.constantFrom(undefined, null, '', 'login', 'LOGINS', 7).map((category) => ({ category })),
    fc.oneof(fc.constantFrom(null, 7, {}, []), text).map((title) => ({ title })),
    fc.constantFrom(null, 'true', 1).map((favorite) => ({ favorite })),
    fc
      .oneof(
        fc.constantFrom(null, 'work', [7]),
        text.map((tag) => [tag]),
      )
      .map((tags) => ({ tags })),
    fc
      .constantFrom('javascript:alert(1)', 'data:text/html,x', 'example.com', '', 'http://a b')
      .map((href) => ({ urls: [{ href }] })),
    fc.constant({
      urls: [
        { href: 'https://a.example.com', primary: true },
        { href: 'https://b.example.com', primary: true },
      ],
    }),
    fc.constant({ sections: [{ id }, { id }] }),
    fc.constantFrom(null, {}, [null], [{}], [{ id: 7 }]).map((fields) => ({ fields })),
    fc.constant({ fields: [{ id }, { id }] }),
    fc.constantFrom('USERNAME', 'PASSWORD', 'NOTES').map((purpose) => ({
      fields: [
        { id, purpose },
        { id: 'other', purpose },
      ],
    })),
    fc
      .oneof(
        fc.constantFrom(
          ...[{ type: 'string' }, { type: 'SECRET' }, { purpose: 'PIN' }, { value: null }],
          ...[{ value: 7 }, { section: { id: 'missing' } }, { label: 7 }],
          ...[
            { type: 'DATE', value: '2026-02-30' },
            { type: 'DATE', value: 'today' },
            { type: 'DATE', generate: true },
            { type: 'MONTH_YEAR', value: '202613' },
          ],
          ...[0, 65, 1.5, '8'].map((length) => ({ generate: true, recipe: { length } })),
          { generate: true, recipe: { characterSets: ['DIGITS', 'DIGITS'] } },
          { generate: true, recipe: { characterSets: ['EMOJI'] } },
          {
            generate: true,
            recipe: { characterSets: ['DIGITS'], excludeCharacters: '012345678' },
          },
        ),
        text.map((value) => ({ value })),
        text.map((label) => ({ label })),
      )
      .map((members) => ({ fields: [{ id, ...members }] })),
  ]
  return fc
    .tuple(arbitraryItemDraft(), fc.oneof(...wrongMembers))
    .map(([draft, wrong]) => ({ ...draft, ...wrong }))
}
