/** The page on a test vault in Chromium, for the tests of one file. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createMemoryActivityLog } from '../../../../src/activity.js'
import { createNodeListener } from '../../../../src/adapters/node.js'
import { createPage, type PageOptions } from '../../../../src/page.js'
import type { TestVault, TestVaultOptions } from '../../../../src/testing.js'
import { createTestVault } from '../../../support/http/checked-handlers.js'
import { launchBrowser, type OpenPage, openPage } from './browser.js'

/** Options of the page, of its vault and of the browser. */
interface PageTestOptions extends PageOptions {
  readonly extensions?: boolean
  readonly service?: TestVaultOptions<undefined>
  readonly context?: BrowserContextOptions
}

/** The page of the current test. */
export interface PageFixture {
  vault: TestVault
  page: OpenPage
  /** Opens the page on a new test vault, without a token. */
  open(options?: PageTestOptions): Promise<Page>
  /** Opens the page on a new test vault, and types its token. */
  openSignedIn(options?: PageTestOptions): Promise<Page>
  /** Opens a path of another listener. */
  openListener(
    ...args: Parameters<typeof openPage> extends [Browser, ...infer Rest] ? Rest : never
  ): Promise<Page>
}

/**
 * Registers the hooks of a test file. Each test fails if the page breaks its policy, throws an error
 * or sends a request to another origin.
 */
export function usePage(): PageFixture {
  let browser: Browser
  const fixture: PageFixture = {
    vault: undefined as unknown as TestVault,
    page: undefined as unknown as OpenPage,
    async open({ extensions = true, service, context, ...options } = {}) {
      const activity = createMemoryActivityLog()
      const history = { maxVersions: 5 }
      fixture.vault = await createTestVault({ activity, history, ...service }, { extensions })
      const handler = createPage(fixture.vault.handler, { readOnly: false, ...options })
      return fixture.openListener(createNodeListener(handler), '/ui', context)
    },
    async openSignedIn(options) {
      const tab = await fixture.open(options)
      await signIn(tab, fixture.vault.tokens.full)
      return tab
    },
    async openListener(...args) {
      fixture.page = await openPage(browser, ...args)
      return fixture.page.tab
    },
  }
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterEach(async () => {
    const { problems, requests, origin, close } = fixture.page
    await close()
    expect(problems).toEqual([])
    expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([])
  })
  afterAll(() => browser.close())
  return fixture
}

/** Types a token. */
export async function signIn(tab: Page, token: string): Promise<void> {
  await tab.getByLabel('Access token').fill(token)
  await tab.keyboard.press('Enter')
}

/** Shows the part of the page that a fragment names. */
export async function openFragment(tab: Page, fragment: string): Promise<void> {
  await tab.evaluate((hash) => {
    location.hash = hash
  }, fragment)
}

/** Opens the item of the test vault, or another one. */
export async function openItem(
  tab: Page,
  { vaultId, item }: TestVault,
  itemId = item.id,
): Promise<void> {
  await openFragment(tab, `#/${vaultId}/${itemId}`)
  await tab.locator('.depth-2 .fields').first().waitFor()
}
