import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups, referenceTitle } from '../../tools/site/groups.js'
import { usePage } from './support/page/use-page.js'
import { serveFolder } from './support/site/serve-folder.js'

const fixture = usePage()
const folder = mkdtempSync(join(tmpdir(), 'cofferkit-site-'))
let output = ''
beforeAll(async () => {
  const script = ['--import', './tools/scripts/register-sources.ts', 'tools/scripts/docs.ts']
  const { stdout } = await promisify(execFile)(process.execPath, [...script, folder])
  output = stdout
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const base = '/cofferkit/'
const open = (path: string) => fixture.openListener(serveFolder(folder, base), `${base}${path}`)

describe('npm run docs', () => {
  it('builds a site without a broken link', async () => {
    const [, pages, links] = /(\d+) pages, (\d+) links, \d+ s\n$/.exec(output) ?? []
    expect(Number(pages)).toBeGreaterThan(400)
    expect(Number(links)).toBeGreaterThan(20_000)
    const tab = await open('')
    expect(await tab.getByRole('heading', { level: 1 }).textContent()).toContain('cofferkit')
  })

  it('lists the guides by groups', async () => {
    const tab = await open('guide/index.html')
    const titles = await tab.locator('.VPSidebar h2').allTextContents()
    expect(titles).toEqual(groups.map(({ title }) => title).filter((t) => t !== referenceTitle))
  })

  it('shows references in braces, and describes a page by its first paragraph', async () => {
    const tab = await open('guide/use.html')
    const text = await tab.locator('main').innerText()
    expect(text).toContain('/bot{{ op://Acme/Telegram/token }}/sendMessage')
    const description = await tab.locator('meta[name="description"]').getAttribute('content')
    expect(description?.length).toBeGreaterThan(40)
    expect(text).toContain(description)
  })

  it('shows the name of a file above its code', async () => {
    const tab = await open('guide/connect-in-ci.html')
    const names = await tab.locator('.vp-code-group .tabs').allTextContents()
    expect(names).toContain('seed.json')
    expect(await tab.locator('main p', { hasText: /^seed\.json$/ }).count()).toBe(0)
  })

  it.each([
    ['rotate', /^guide\/rotate\.html/],
    ['kms', /^guide\/kms\.html/],
    ['restore', /^guide\/backup\.html/],
    ['ifVersion', /^guide\//],
    ['stripe', /^guide\/customer-keys\.html/],
    ['createVaultService', /^api\/cofferkit\/functions\/createVaultService\.html/],
  ])('finds %s', async (word, path) => {
    const tab = await open('guide/index.html')
    const input = tab.locator('#localsearch-input')
    await expect
      .poll(async () => {
        await tab.keyboard.press('Control+k')
        return input.isVisible()
      })
      .toBe(true)
    await input.fill(word)
    const result = tab.locator('.VPLocalSearchBox .result').first()
    expect((await result.getAttribute('href'))?.slice(base.length)).toMatch(path)
  })

  it('has no page that is wider than a phone, and no code that is cut off on a laptop', async () => {
    const tab = await open('index.html')
    const wide: string[] = []
    let count = 0
    for (const page of globSync('{index,changelog,guide/*,reference/*}.html', { cwd: folder })) {
      await tab.setViewportSize({ width: 360, height: 640 })
      await tab.goto(new URL(`${base}${page}`, tab.url()).href)
      const width = await tab.evaluate(() => document.documentElement.scrollWidth)
      if (width > 360) wide.push(`${page}: ${width} pixels`)
      await tab.setViewportSize({ width: 1280, height: 720 })
      const blocks = await tab.locator('main pre').evaluateAll((all) => {
        for (const { parentElement } of all) parentElement?.classList.add('active')
        const cut = all.filter((block) => block.scrollWidth > block.clientWidth)
        return { all: all.length, cut: cut.length }
      })
      count += blocks.all
      if (blocks.cut > 0) wide.push(`${page}: ${blocks.cut} blocks of code`)
    }
    process.stdout.write(`   At 1,280 pixels: ${count} blocks of code, cut off: ${wide.length}\n`)
    expect(wide).toEqual([])
  }, 180_000)
})
