import { describe, expect, it } from 'vitest'
import { axeViolations, focusedName, overflowOf, tabTo } from '../support/page/browser.js'
import { changedLines, usePlayground } from '../support/playground/use-playground.js'

const open = usePlayground()

describe('playground.html and accessibility in Chromium', { timeout: 60_000 }, () => {
  it('announces a result once it has settled, and nothing when the page opens', async () => {
    const tab = await open('#rename')
    const status = tab.locator('section', { hasText: 'Patch an item' }).getByRole('status')
    await tab.evaluate(() => {
      const texts: (string | null)[] = []
      Object.assign(globalThis, { announced: texts })
      for (const region of document.querySelectorAll('[role=status]'))
        new MutationObserver(() => texts.push(region.textContent)).observe(region, {
          ...{ childList: true, characterData: true, subtree: true },
        })
    })
    await tab.clock.install()
    await tab.clock.pauseAt(Date.now() + 60_000)
    await tab.clock.runFor(5000)
    expect(await status.textContent()).toBe('')
    await tab.getByLabel('Patch', { exact: true }).fill('')
    for (const key of '[{"op":"remove","path":"/title"}]') {
      await tab.keyboard.type(key)
      await tab.clock.runFor(50)
    }
    await expect.poll(() => changedLines(tab)).not.toContain('+ "title": "Front desk router"')
    await tab.clock.runFor(900)
    expect(await status.textContent()).toBe('')
    await tab.clock.runFor(200)
    expect(await status.textContent()).toBe('Stored as version 2: 2 lines added, 3 removed.')
    await tab.clock.runFor(5000)
    expect(await tab.evaluate(() => Reflect.get(globalThis, 'announced'))).toHaveLength(1)
    expect(await tab.locator('[aria-live=assertive], [role=alert]').count()).toBe(0)
  })

  it('can be used with the keyboard only', async () => {
    const tab = await open()
    await tabTo(tab, 'Add a tag')
    await tab.keyboard.press('Enter')
    await expect.poll(() => changedLines(tab)).toContain('+ "network"')
    await tabTo(tab, 'A patch that fails')
    await tab.keyboard.press('Space')
    await tab.locator('.problem').waitFor()
    await tabTo(tab, 'Item')
    await tabTo(tab, 'Patch')
    await tab.keyboard.press('Control+A')
    await tab.keyboard.type('[{"op":"remove","path":"/fields/pni"}]')
    await tabTo(tab, 'Go to line 1 of the patch')
    await tab.keyboard.press('Enter')
    expect(await focusedName(tab)).toBe('Patch')
    await tab.keyboard.press('Control+A')
    await tab.keyboard.type('[{"op":"remove","path":"/tags/0"}]')
    await expect.poll(() => changedLines(tab)).toContain('- "office"')
    await tabTo(tab, 'Length, 1 to 64')
    await tab.keyboard.press('ArrowUp')
    await expect.poll(() => tab.locator('.generated').textContent()).toHaveLength(21)
    await tabTo(tab, 'Digits (0–9)')
    await tab.keyboard.press('Space')
    await tabTo(tab, 'Generate')
    await tab.keyboard.press('Enter')
    await expect.poll(() => tab.locator('.generated').textContent()).toMatch(/^[^\d]{21}$/)
  })
})

const looks = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['forced colors', { forcedColors: 'active' }],
] as const
const cases = looks.flatMap(([look, context]) =>
  [360, 768, 1280].map((width) => ({
    look,
    width,
    context: { ...context, viewport: { width, height: 800 } },
  })),
)

describe('playground.html with axe', { timeout: 60_000 }, () => {
  it.each(cases)('has no violation in $look at $width pixels', async ({ context }) => {
    const tab = await open('', { ...context })
    const found: (readonly string[])[] = []
    const check = async (): Promise<void> => {
      found.push(await axeViolations(tab))
      expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    }
    await check()
    await tab.getByRole('button', { name: 'A patch that fails' }).click()
    await tab.locator('.problem').waitFor()
    await check()
    await tab.getByLabel('Patch', { exact: true }).fill(`["${'x'.repeat(300)}"`)
    await tab.getByText('The last result:').waitFor()
    await tab.getByLabel(/^Length/).fill('65')
    await tab.getByRole('button', { name: 'Create', exact: true }).click()
    await tab.getByText('-----BEGIN').waitFor()
    await check()
    expect(found.flat()).toEqual([])
  })
})
