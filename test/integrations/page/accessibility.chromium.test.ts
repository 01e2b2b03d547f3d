import { describe, expect, it } from 'vitest'
import {
  axeViolations,
  focusedName,
  overflowOf,
  tabTo,
  waitForAnnouncement,
} from '../support/page/browser.js'
import { openFragment, openItem, signIn, usePage } from '../support/page/use-page.js'

const fixture = usePage()
const secret = 'correct horse'

describe('createPage and accessibility in Chromium', () => {
  it('does every task with the keyboard', async () => {
    const tab = await fixture.open({ developer: true })
    await tabTo(tab, 'Access token')
    await tab.keyboard.type(fixture.vault.tokens.full)
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Test', exact: true }).waitFor()

    await tabTo(tab, 'New vault')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Name')
    await tab.keyboard.type('Keyboard')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Keyboard' }).waitFor()
    await expect.poll(() => focusedName(tab)).toBe('Keyboard')

    await tabTo(tab, 'New item')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Title')
    await tab.keyboard.type('Router')
    await tabTo(tab, 'Generate a new value')
    await tab.keyboard.press('Space')
    await tabTo(tab, 'Save')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Router' }).waitFor()
    await expect.poll(() => focusedName(tab)).toBe('Router')

    await tabTo(tab, 'Edit')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Title')
    await tab.keyboard.press('End')
    await tab.keyboard.type(' 2')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Router 2' }).waitFor()

    await tabTo(tab, 'Patch')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Send')
    await tab.keyboard.press('Enter')
    await waitForAnnouncement(tab, 'Patched.')
    await tabTo(tab, '‹ Item', 'Shift+Tab')
    await tab.keyboard.press('Enter')
    await tab.getByRole('listitem').filter({ hasText: /^new$/ }).waitFor()

    await tabTo(tab, 'Show password')
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: 'Hide password' }).waitFor()
    await tab.keyboard.press('Escape')
    await tab.getByRole('button', { name: 'Show password' }).waitFor()

    await tabTo(tab, 'Version 1')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Restore this version')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Restore this version')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Router', exact: true }).waitFor()

    await tabTo(tab, 'Archive')
    await tab.keyboard.press('Enter')
    await tab.getByRole('button', { name: 'Make active' }).waitFor()
    await tabTo(tab, 'Delete')
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Escape')
    expect(await tab.getByRole('dialog').count()).toBe(0)
    expect(await focusedName(tab)).toBe('Delete')
    await tab.keyboard.press('Enter')
    await tabTo(tab, 'Delete')
    await tab.keyboard.press('Enter')
    await tab.getByText('This vault is empty.').waitFor()
    await tabTo(tab, 'Activity', 'Shift+Tab')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'Activity' }).waitFor()
  })

  it('focuses the heading of a pane before the next key', async () => {
    const tab = await fixture.openSignedIn()
    await tab.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    const focused = await tab.evaluate(
      () =>
        new Promise((resolve) => {
          new MutationObserver(() => {
            if (document.getElementById('vault-name') !== null) resolve(document.activeElement?.id)
          }).observe(document.body, { childList: true, subtree: true })
          location.hash = '#/new'
        }),
    )
    expect(focused).toBe('pane-2')
  })

  it('moves between links with the arrow keys', async () => {
    const tab = await fixture.open()
    const { service, caller, vaultId, tokens } = fixture.vault
    for (const title of ['Alpha', 'Beta'])
      await service.createItem(caller, { vaultId, item: { category: 'LOGIN', title } })
    // Only now, because the page opens a single vault at once, and does not list it again.
    await signIn(tab, tokens.full)
    await tab.getByRole('link', { name: 'Test', exact: true }).click()
    await tab.getByRole('link', { name: /Alpha/ }).focus()
    await tab.keyboard.press('ArrowDown')
    expect(await focusedName(tab)).toContain('Beta')
    await tab.keyboard.press('ArrowUp')
    await tab.keyboard.press('ArrowUp')
    expect(await focusedName(tab)).toContain('Alpha')
  })

  it('has roles and names for screen readers', async () => {
    const tab = await fixture.openSignedIn()
    await openItem(tab, fixture.vault)
    // The list and the versions are requests of their own, which may end after the item's.
    await tab.getByRole('searchbox', { name: 'Search in Test' }).waitFor()
    await tab.getByRole('heading', { name: 'History' }).waitFor()
    const tree = await tab.locator('#app').ariaSnapshot()
    for (const line of [
      '- heading "Vaults" [level=1]',
      '- navigation "Page":',
      '- region "Vaults":',
      '- region "Test":',
      '- region "Example":',
      '- searchbox "Search in Test"',
      '- heading "Example" [level=2]',
      '- term: password',
      '- button "Show password"',
      '- button "Copy password"',
      '- button "Download hello.txt"',
      '- button "Remove hello.txt"',
      '- button "File to upload"',
      '- heading "History" [level=3]',
    ])
      expect(tree).toContain(line)
    expect(tree).not.toContain(secret)
  })
})

// Colours differ by look, and the layout by width.
const cases = (
  [
    ['light', 360, { colorScheme: 'light' }],
    ['light', 768, { colorScheme: 'light' }],
    ['light', 1280, { colorScheme: 'light' }],
    ['dark', 360, { colorScheme: 'dark' }],
    ['forced colors', 1280, { forcedColors: 'active' }],
  ] as const
).map(([look, width, context]) => ({
  look,
  width,
  context: { ...context, viewport: { width, height: 800 } },
}))

describe('createPage with axe', () => {
  it('finds a violation that is added to the page', async () => {
    const tab = await fixture.open()
    await tab.evaluate(() => document.body.append(document.createElement('img')))
    expect((await axeViolations(tab)).join()).toContain('image-alt')
  })

  it.each(cases)('has no violation in $look at $width pixels', async ({ context }) => {
    const tab = await fixture.open({ context, developer: true })
    await tab.getByLabel('Access token').waitFor()
    const found: (readonly string[])[] = []
    const check = async (): Promise<void> => {
      found.push(await axeViolations(tab))
      expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    }
    const show = async (hash: string, heading: string): Promise<void> => {
      await openFragment(tab, hash)
      await tab.getByRole('heading', { name: heading, exact: true }).waitFor()
      await check()
    }
    await check()
    await signIn(tab, fixture.vault.tokens.full)
    await tab.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    await check()
    const { vaultId, item } = fixture.vault
    const itemHash = `#/${vaultId}/${item.id}`
    await show('#/new', 'New vault')
    await show(`#/${vaultId}`, 'Test')
    await show(`#/${vaultId}/new`, 'New item')
    await show(itemHash, 'Example')
    await tab.getByRole('button', { name: 'Show password' }).click()
    await tab.getByRole('button', { name: 'Archive' }).click()
    await tab.getByRole('button', { name: 'Make active' }).waitFor()
    await check()
    await tab.locator('summary').click()
    await check()
    await tab.getByRole('button', { name: 'Delete', exact: true }).click()
    await check()
    await tab.keyboard.press('Escape')
    await show(`${itemHash}/edit`, 'Edit item')
    await show(`${itemHash}/patch`, 'Patch Example')
    await show(`${itemHash}/versions/2`, 'Example')
    await show('#/activity', 'Activity')
    await tab.getByText('changed').first().waitFor()
    await check()
    expect(found.flat()).toEqual([])
  })
})
