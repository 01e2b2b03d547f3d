import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openFragment, usePage } from '../support/page/use-page.js'

const fixture = usePage()

describe('createPage with 1,000 items in Chromium', () => {
  it('renders only rows that a search adds, and only lays out those in the window', async () => {
    const tab = await fixture.openSignedIn()
    const { service, caller, vaultId } = fixture.vault
    for (let index = 1; index < 1000; index++)
      await service.createItem(caller, {
        vaultId,
        item: { category: 'LOGIN', title: `Login ${index}`, tags: [`team-${index % 7}`] },
      })
    const search = tab.getByLabel('Search in Test')
    const count = (text: string | RegExp) => tab.getByText(text, { exact: true }).waitFor()
    const opening = await costOf(tab, async () => {
      await openFragment(tab, `#/${vaultId}`)
      await count('1000 items')
    })
    await watchRows(tab)
    const typing = await costOf(tab, async () => {
      await search.pressSequentially('Login 77')
      await count('11 items')
    })
    expect(await changedRows(tab)).toEqual({ added: 0, removed: 989, changed: 0 })
    const clearing = await costOf(tab, async () => {
      await search.fill('')
      await count('1000 items')
    })
    expect(await changedRows(tab)).toEqual({ added: 989, removed: 0, changed: 0 })
    process.stdout.write(
      `a list of 1,000 items, CPU of the tab: opened in ${opening} ms, ${typing} ms for 8 keys, ${clearing} ms to clear\n`,
    )
    const isSkipped = await tab
      .locator('.links li')
      .last()
      .evaluate((row) => !row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }))
    expect(isSkipped).toBe(true)
    await search.fill('TEAM-3')
    await count('143 items')
  })
})

/** Returns how many milliseconds the tab worked during an action. */
async function costOf(tab: Page, action: () => Promise<void>): Promise<number> {
  const session = await tab.context().newCDPSession(tab)
  await session.send('Performance.enable')
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    const { value = Number.NaN } = metrics.find(({ name }) => name === 'TaskDuration') ?? {}
    return value * 1000
  }
  const before = await read()
  await action()
  return Math.round((await read()) - before)
}

/** Counts from now on how many rows appear, disappear and change. */
async function watchRows(tab: Page): Promise<void> {
  await tab.evaluate(() => {
    const counts = { added: 0, removed: 0, changed: 0 }
    const isRow = (node: Node): boolean => node.nodeName === 'LI'
    const observer = new MutationObserver((records) => {
      for (const { target, addedNodes, removedNodes } of records) {
        counts.added += [...addedNodes].filter(isRow).length
        counts.removed += [...removedNodes].filter(isRow).length
        if (target instanceof Element && target.closest('.links li')) counts.changed += 1
      }
    })
    const subject = { subtree: true, childList: true, characterData: true, attributes: true }
    observer.observe(document.querySelector('.depth-1 .links') as Element, subject)
    Object.assign(globalThis, { rowCounts: counts })
  })
}

/** Returns the counts since the last time. */
function changedRows(tab: Page): Promise<unknown> {
  return tab.evaluate(() => {
    const counts = Reflect.get(globalThis, 'rowCounts') as Record<string, number>
    const result = { ...counts }
    for (const name of Object.keys(counts)) counts[name] = 0
    return result
  })
}
