import { InvalidInputError, type Item } from 'cofferkit'
import { createItemRules } from 'cofferkit/rules'
import { itemDraft } from 'cofferkit/testing'
import { expect, test } from 'vitest'

/** The rule under test: a key of production keeps its tag. */
function keepProduction(
  item: Item,
  { before }: { readonly before: Item | undefined },
): void {
  if (before?.tags.includes('production') && !item.tags.includes('production'))
    throw InvalidInputError.at('tags', 'must keep production')
}

const rules = createItemRules({ validateItem: keepProduction })
const draft = itemDraft('API_CREDENTIAL', {
  title: 'Stripe',
  tags: ['production'],
})
const item = rules.create({ ...draft, vault: { id: 'a'.repeat(26) } })

test('a key of production can be renamed', () => {
  const renamed = rules.patch(item, [
    { op: 'replace', path: '/title', value: 'Stripe EU' },
  ])
  expect(renamed).toMatchObject({ title: 'Stripe EU', version: 2 })
})

test('a key of production keeps its tag, even at version 41', () => {
  const untag = () =>
    rules.patch({ ...item, version: 41 }, [{ op: 'remove', path: '/tags/0' }])
  expect(untag).toThrow('tags must keep production')
})
