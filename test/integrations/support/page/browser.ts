/** Opens the page in Chromium, and watches what it does. */

import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const axeText = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Starts Chromium. */
export function launchBrowser(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  return chromium.launch({ executablePath: '/usr/bin/chromium', args })
}

/** A tab with the page, and everything that must not happen in it. */
export interface OpenPage {
  readonly tab: Page
  readonly origin: string
  /** Violations of the Content-Security-Policy and errors of scripts. */
  readonly problems: string[]
  /** The URLs of all requests. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** Serves `listener`, and opens `path` of it in a new context of the browser. */
export async function openPage(
  browser: Browser,
  listener: RequestListener,
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const context = await browser.newContext(options)
  const problems: string[] = []
  const requests: string[] = []
  await context.exposeFunction('reportViolation', (text: string) => problems.push(text))
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    reportViolation(event.violatedDirective + ' ' + event.blockedURI))`)
  await context.addInitScript(keepAnnouncements)
  const tab = await context.newPage()
  tab.on('pageerror', (error) => problems.push(String(error)))
  tab.on('request', (request) => requests.push(request.url()))
  await tab.goto(origin + path)
  const close = async (): Promise<void> => {
    await context.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { tab, origin, problems, requests, close }
}

/** Keeps every text of a status in `announcements`, because some disappear by themselves. */
function keepAnnouncements(): void {
  const announcements: string[] = []
  new MutationObserver(() => {
    for (const { textContent } of document.querySelectorAll('[role=status]'))
      if (textContent) announcements.push(textContent)
  }).observe(document, { subtree: true, childList: true, characterData: true })
  Object.assign(globalThis, { announcements })
}

/** Resolves when a status shows `text`, or has shown it since the page was loaded. */
export async function waitForAnnouncement(tab: Page, text: string): Promise<void> {
  const read = (): Promise<unknown> =>
    tab.evaluate(() => Reflect.get(globalThis, 'announcements') as unknown)
  await expect.poll(read, { timeout: 30_000 }).toContain(text)
}

/** Returns the violations that axe finds, as `<rule>: <selectors>`. */
export async function axeViolations(tab: Page): Promise<readonly string[]> {
  // Not in every page, because to parse it takes longer than most tests.
  if (!(await tab.evaluate(() => Reflect.has(globalThis, 'axe')))) await tab.evaluate(axeText)
  return tab.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        run(options: object): Promise<{
          violations: readonly { id: string; nodes: readonly { target: unknown[] }[] }[]
        }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'], preload: false })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  })
}

/** Returns the number of pixels by which the page is wider than the window. */
export function overflowOf(tab: Page): Promise<number> {
  return tab.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const panes = [...document.querySelectorAll('.pane, main')].map(
      (pane) => pane.scrollWidth - pane.clientWidth,
    )
    return Math.max(scrollWidth - clientWidth, ...panes)
  })
}

/** Presses Tab until the focused element has this role and name. */
export async function tabTo(tab: Page, name: string, key = 'Tab'): Promise<void> {
  for (let count = 0; count < 80; count++) {
    await tab.keyboard.press(key)
    if ((await focusedName(tab)) === name) return
  }
  throw new Error(`no focus on ${name}`)
}

/** Returns the name of the focused element: its label, its text, or its `aria-label`. */
export function focusedName(tab: Page): Promise<string> {
  return tab.evaluate(() => {
    const element = document.activeElement as HTMLElement | null
    const label = (element as HTMLInputElement | null)?.labels?.[0]?.textContent
    const text = element?.getAttribute('aria-label') ?? label ?? element?.textContent
    return (text ?? '').trim()
  })
}
