import { describe, expect, it } from 'vitest'
import { accessibleHtml } from '../../tools/site/accessible-html.js'

describe('accessibleHtml', () => {
  it('makes landmarks of the content and of the sidebar', () => {
    const html = '<div class="col-content">A</div><div class="col-sidebar">B</div>'
    expect(accessibleHtml(html)).toBe(
      '<div class="col-content" role="main">A</div>' +
        '<div class="col-sidebar" role="complementary" aria-label="Navigation and settings">B</div>',
    )
  })

  it('gives headings the level of their place where a level is skipped', () => {
    const html = '<h1>A</h1><h4 id="b">B</h4><h5>C</h5><h4>D</h4><h2>E</h2><h3>F</h3><h5>G</h5>'
    expect(accessibleHtml(html)).toBe(
      '<h1>A</h1><h4 aria-level="2" id="b">B</h4><h5 aria-level="3">C</h5>' +
        '<h4 aria-level="2">D</h4><h2>E</h2><h3>F</h3><h5 aria-level="4">G</h5>',
    )
  })

  it('removes links to the page itself from a summary, and from nowhere else', () => {
    const link = '<a href="#a" class="tsd-anchor-icon"><svg></svg></a>'
    const html = `<summary class="x"><h2>A${link}</h2></summary><h2>B${link}</h2>`
    expect(accessibleHtml(html)).toBe(
      `<summary class="x"><h2 aria-level="1">A</h2></summary><h2 aria-level="1">B${link}</h2>`,
    )
  })

  it('makes a cell of an empty header', () => {
    const html = '<tr><th></th><th style="text-align:right"></th><th>A</th></tr>'
    expect(accessibleHtml(html)).toBe('<tr><td></td><td></td><th>A</th></tr>')
  })
})
