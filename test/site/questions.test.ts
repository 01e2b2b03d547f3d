import { describe, expect, it } from 'vitest'
import { startPage } from '../../tools/site/groups.js'
import { findLinks, fragmentsOf } from '../support/source/pages.js'

const start = `docs/${startPage}.md`

/** Questions of readers, and where they are answered: a page, or a section of it. */
const answers: Readonly<Record<string, string>> = {
  'How do I keep the API keys of my customers?': 'docs/credentials.md',
  'How does an agent use a key that it must not see?': 'docs/use.md',
  'Which store?': 'docs/which-store.md',
  'How do I mount it behind my own login?': 'docs/authentication.md#behind-your-own-login',
  'How does each tenant get a vault?': 'docs/multi-tenant.md',
  'How do I rotate a key?': 'docs/encryption.md#rotate-the-data-keys',
  'What happens if two processes write at the same time?': 'docs/calls.md#retrying-a-change',
  'Who has read a value?': 'docs/activity.md#who-has-seen-a-value',
  'How do I test my code without an account?': 'docs/testing.md',
  'Which clients of 1Password Connect work?': 'docs/clients.md',
  'How do I back it up?': 'docs/production.md#backup-and-restore',
  'What does it not protect against?': 'docs/security.md#out-of-scope',
}

/** Returns the pages that can be opened from the start page with at most `clicks` links. */
function pagesWithin(clicks: number): ReadonlySet<string> {
  const pages = new Set([start])
  for (let click = 0; click < clicks; click++)
    for (const page of [...pages])
      for (const { path } of page.endsWith('.md') ? findLinks(page) : []) pages.add(path)
  return pages
}

describe('the pages', () => {
  const reachable = pagesWithin(2)

  it.each(Object.entries(answers))('answer within two clicks: %s', (_question, answer) => {
    const [page = '', fragment] = answer.split('#')
    expect(reachable).toContain(page)
    if (fragment !== undefined) expect(fragmentsOf(page)).toContain(fragment)
  })
})
