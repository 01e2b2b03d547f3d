import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeViolations, focusedName, overflowOf } from '../support/page/browser.js'
import { usePage } from '../support/page/use-page.js'
import { serveFolder } from '../support/site/serve-folder.js'

const fixture = usePage()
const folder = mkdtempSync(join(tmpdir(), 'cofferkit-site-'))
let built = ''

beforeAll(async () => {
  const script = [
    '--import',
    './tools/scripts/register-sources.ts',
    'tools/scripts/docs.ts',
    folder,
  ]
  built = (await promisify(execFile)(process.execPath, script)).stdout
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Opens a page of the site, and waits for its navigation. */
async function open(path: string, width = 1280): Promise<Page> {
  const viewport = { width, height: 800 }
  const tab = await fixture.openListener(serveFolder(folder), `/${path}`, { viewport })
  await tab.locator('#tsd-nav-container summary[data-key]').first().waitFor({ state: 'attached' })
  return tab
}

/** Types into the search, and waits until a result is `name`. */
async function search(tab: Page, text: string, name: string): Promise<void> {
  await tab.keyboard.press('Control+k')
  await tab.getByRole('combobox').fill(text)
  const options = tab.getByRole('listbox').getByRole('option')
  const names = async (): Promise<readonly string[]> =>
    (await options.allTextContents()).map((option) => option.replace(/\s+/g, ' ').trim())
  await expect.poll(names).toContain(name)
}

describe('npm run docs', () => {
  it('builds a site without a broken link', async () => {
    await open('index.html')
    const [, pages, links] = /(\d+) pages, (\d+) links\n$/.exec(built) ?? []
    expect(Number(pages)).toBeGreaterThan(400)
    expect(Number(links)).toBeGreaterThan(20_000)
  })

  it('opens with the start page, and the groups in their order', async () => {
    const tab = await open('index.html')
    expect(await tab.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['cofferkit'])
    const titles = await tab
      .locator('#tsd-nav-container > li > details > summary')
      .allTextContents()
    expect(titles).toEqual(['Start', 'Guides', 'Stores', 'Operate', 'Reference', 'Decisions'])
    await tab.getByText('Decisions', { exact: true }).first().click()
    await tab.getByRole('link', { name: '0008: tsup builds the package' }).click()
    await tab.getByRole('heading', { name: '0008: tsup builds the package' }).waitFor()
    await tab.locator('#tsd-nav-container a.current').waitFor()
  })

  it('finds a guide and a function without a network', async () => {
    const tab = await (await open('index.html')).context().newPage()
    const requests: string[] = []
    tab.on('request', (request) => requests.push(request.url()))
    await tab.context().setOffline(true)
    const start = pathToFileURL(join(folder, 'index.html')).href
    await tab.goto(start)
    await search(tab, 'users', 'Users and their vaults')
    await search(tab, 'key rotation', 'Encryption')
    await search(tab, 'createHttpHandler', 'cofferkit/http.createHttpHandler')
    await tab.keyboard.press('ArrowDown')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Function createHttpHandler' }).waitFor()
    await tab.locator('#tsd-nav-container a.current').waitFor()
    expect(requests.filter((url) => !/^(?:file|data):/.test(url))).toEqual([])
    expect(requests.length).toBeGreaterThan(10)
  })

  it('finds the start page by its text', async () => {
    const tab = await open('documents/etcd.html')
    await search(tab, 'telemetry', 'cofferkit')
    await tab
      .getByRole('option')
      .filter({ hasText: /^\s*cofferkit\s*$/ })
      .click()
    await tab.getByRole('heading', { level: 1, name: 'cofferkit' }).waitFor()
  })

  it('copies code with a button', async () => {
    const tab = await open('index.html')
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const box = tab.locator('pre').first()
    await box.hover()
    await box.getByRole('button', { name: 'Copy' }).click()
    const copied = await tab.evaluate(() => navigator.clipboard.readText())
    expect(copied.trim()).toBe('npm install cofferkit')
  })

  it.each([360, 768, 1280])('has its navigation without JavaScript at %i pixels', async (width) => {
    const context = { viewport: { width, height: 800 }, javaScriptEnabled: false }
    const tab = await fixture.openListener(serveFolder(folder), '/documents/etcd.html', context)
    const current = tab.locator('#tsd-nav-container a[aria-current="page"]')
    expect(await current.isVisible()).toBe(true)
    await tab.getByText('Reference', { exact: true }).click()
    await tab.getByRole('link', { name: 'cofferkit/encrypted', exact: true }).click()
    await tab.getByRole('heading', { name: 'Module cofferkit/encrypted' }).waitFor()
    expect(await tab.getByText('createEncryptedStore').first().isVisible()).toBe(true)
  })

  it('has a menu on a narrow window that opens and closes by keyboard', async () => {
    const tab = await open('documents/which-store.html', 360)
    await tab.locator('#tsd-toolbar-menu-trigger').focus()
    await tab.keyboard.press('Enter')
    await tab.getByRole('link', { name: 'Write a store in an afternoon' }).first().waitFor()
    await expect.poll(() => focusedName(tab)).not.toBe('Menu')
    await tab.keyboard.press('Escape')
    await expect.poll(() => focusedName(tab)).toBe('Menu')
    await expect.poll(() => tab.locator('.site-menu').isVisible()).toBe(false)
  })

  it('has tables and code that scroll in their own boxes, and by keyboard', async () => {
    const tab = await open('documents/mounting.html', 360)
    for (const selector of ['.site-table', 'pre']) {
      const box = tab.locator(`${selector}[tabindex="0"]`).first()
      expect(
        await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      ).toBeGreaterThan(0)
      await box.focus()
      await tab.keyboard.press('ArrowRight')
      await expect.poll(() => box.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0)
    }
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
  })
})

const pages = [
  ['index.html'],
  ['documents/encryption.html'],
  ['modules/cofferkit_http.html'],
  ['classes/cofferkit.ConflictError.html'],
  ['interfaces/cofferkit_http.Route.html'],
  ['functions/cofferkit_http.createHttpHandler.html'],
] as const

/** Checks the page in light and dark at each width. */
async function expectAccessible(tab: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 768, 1280]) {
      await tab.emulateMedia({ colorScheme })
      await tab.setViewportSize({ width, height: 800 })
      const where = `${colorScheme} at ${width} pixels: `
      expect(where + (await axeViolations(tab))).toBe(where)
      expect(where + Math.max(0, await overflowOf(tab))).toBe(`${where}0`)
    }
}

describe('the documentation site with axe', () => {
  it.each(pages)('has no violation in %s', async (path) => {
    await expectAccessible(await open(path))
  })

  it('has no violation with the search open', async () => {
    const tab = await open('index.html')
    await search(tab, 'encrypt', 'Encryption')
    await expectAccessible(tab)
  })

  it('has no violation with the menu open', async () => {
    const tab = await open('documents/etcd.html', 360)
    await tab.locator('#tsd-toolbar-menu-trigger').click()
    await tab.getByRole('link', { name: 'Write a store in an afternoon' }).first().waitFor()
    expect(await axeViolations(tab)).toEqual([])
  })
})
