import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkLinks } from '../../tools/site/check-links.js'

/** Writes files into a new folder, and returns it. */
function writeSite(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-links-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** A site whose links all lead somewhere. */
const site = {
  'index.html':
    '<a href="a/one.html#top">One</a> <a class="x" href="https://example.com/none">Else</a>',
  'a/one.html':
    '<h1 id="top" >One</h1> <a href="../index.html">Back</a> <a href="#top">Up</a>' +
    '<img src="../media/a%20b.png"/><svg><use href="../assets/icons.svg#icon-a"></use></svg>' +
    '<script>document.write(\'<a href="written.html">\')</script>',
  'media/a b.png': '',
  'assets/icons.svg': '<svg><g id="icon-a"></g></svg>',
}

const compressed = (value: unknown): string =>
  `window.data = "${deflateSync(JSON.stringify(value)).toString('base64')}"`

describe('checkLinks', () => {
  it('finds nothing in a site whose links all lead somewhere', () => {
    expect(checkLinks(writeSite(site))).toEqual({ files: 2, links: 6, broken: [] })
  })

  it.each([
    ['a missing file', 'two.html'],
    ['a missing fragment of the same page', '#bottom'],
    ['a missing fragment of another page', 'a/one.html#bottom'],
    ['a folder', 'a'],
    ['an absolute path', '/index.html'],
    ['a file of the machine', 'file:///etc/hosts'],
    ['a script', 'javascript:alert(1)'],
    ['a file outside of the site', '../index.html'],
    ['an escaped name', 'one.html?a=1&amp;b=2'],
    ['an invalid escape', '%E0%A4%A'],
  ])('reports a link to %s', (_name, link) => {
    const html = `${site['index.html']}<p title="a > b"><a\nhref="${link}">Broken</a></p>`
    const { broken } = checkLinks(writeSite({ ...site, 'index.html': html }))
    expect(broken).toEqual([`index.html: ${link.replace('&amp;', '&')}`])
  })

  it.each([
    "<a href='two.html'>",
    '<a href=two.html>',
    '<a href = "two.html" >',
    '<A HREF="two.html">',
    '<a data-x=\'1\' href="two.html">',
    "<a data-x=\"it's\" href='two.html'>",
    '<a title="a>b" href="two.html">',
    '<a disabled href="two.html">',
    '<img src=two.html />',
  ])('reports the broken link in %s', (html) => {
    const { broken } = checkLinks(writeSite({ ...site, 'index.html': html }))
    expect(broken).toEqual(['index.html: two.html'])
  })

  it.each([
    '<a href="HTTPS://example.com/">',
    '<a href="Mailto:a@example.com">',
    `<b id='a&quot;b'></b><a href='#a"b'>`,
    '<a id=top href=#top>',
    '<a title="href=two.html">',
    "<a data-href='two.html'>",
  ])('reports nothing in %s', (html) => {
    expect(checkLinks(writeSite({ ...site, 'index.html': html })).broken).toEqual([])
  })

  it('throws when the folder has no page', () => {
    expect(() => checkLinks(writeSite({ 'a.txt': '' }))).toThrow('has no HTML file')
  })

  it('reports links of the navigation and of the search', () => {
    const navigation = [{ text: 'A', children: [{ path: 'a/one.html' }, { path: 'a/two.html' }] }]
    const search = { rows: [{ url: 'a/one.html#top' }, { url: 'a/one.html#bottom' }] }
    const { broken } = checkLinks(
      writeSite({
        ...site,
        'assets/navigation.js': compressed(navigation),
        'assets/search.js': compressed(search),
      }),
    )
    expect(broken).toEqual(['navigation.js: a/two.html', 'search.js: a/one.html#bottom'])
  })
})
