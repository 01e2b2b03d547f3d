/** The playground in Chromium, for the tests of one file. */

import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { playgroundHtml } from '../../../scripts/playground.js'
import { usePage } from '../page/use-page.js'

const html = await playgroundHtml()

/**
 * Registers the hooks of a test file, and returns a function that opens the playground. Each test
 * fails if the playground breaks its policy, throws an error, or sends a request.
 */
export function usePlayground(): (
  fragment?: string,
  context?: BrowserContextOptions,
) => Promise<Page> {
  const fixture = usePage()
  let loads = 0
  afterEach(() => {
    // Before the hook of the page closes it: hooks run in reverse order.
    expect(fixture.page.requests).toHaveLength(loads)
    loads = 0
  })
  return async (fragment = '', context = {}) => {
    const tab = await fixture.openListener(
      (_, response) => {
        loads++
        response.writeHead(200, { 'content-type': 'text/html' }).end(html)
      },
      `/playground.html${fragment}`,
      context,
    )
    await tab.locator('.stored, .problem').waitFor()
    return tab
  }
}

/** Returns the lines of the result that a patch has added and removed. */
export async function changedLines(tab: Page): Promise<readonly string[]> {
  const lines = await tab.locator('.stored :is(ins, del)').allTextContents()
  return lines.map((line) => line.replace(/\s+/g, ' ').trim().replace(/,$/, ''))
}
