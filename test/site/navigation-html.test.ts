import { describe, expect, it } from 'vitest'
import { navigationHtml } from '../../tools/site/navigation-html.js'

const groups = [
  { text: 'Start', children: [{ text: 'Overview', path: 'index.html' }] },
  {
    text: 'Reference',
    children: [
      { text: '"A" & <B>', path: 'documents/a.html' },
      { text: 'module', children: [{ text: 'Overview', path: 'modules/m.html' }] },
    ],
  },
]

describe('navigationHtml', () => {
  it('links to pages and to the pages of modules, relative to the page itself', () => {
    const links = navigationHtml(groups, 'documents/b.html').matchAll(
      /<a href="([^"]*)">(.*?)<\/a>/g,
    )
    expect(Array.from(links, ([, url, text]) => [url, text])).toEqual([
      ['../index.html', 'Overview'],
      ['a.html', '&#34;A&#34; &#38; &#60;B&#62;'],
      ['../modules/m.html', 'module'],
    ])
  })

  it('opens the group of the page, and marks the page', () => {
    const [start, reference] = navigationHtml(groups, 'documents/a.html').split('</details>')
    expect(start).not.toContain(' open')
    expect(reference).toContain('<details class="tsd-accordion" open>')
    expect(reference).toContain('<a href="a.html" class="current" aria-current="page">')
  })
})
