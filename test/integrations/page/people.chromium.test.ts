import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpRequest } from '../../../src/http/message.js'
import { createCaller } from '../../../src/index.js'
import { createPage } from '../../../src/page.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { createEntry } from '../../support/service/activity-entries.js'
import { waitForAnnouncement } from '../support/page/browser.js'
import { openFragment, openItem, signIn, usePage } from '../support/page/use-page.js'

const fixture = usePage()
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const otpauth = `otpauth://totp/a?secret=${secret}`

/** The time of an entry, in milliseconds after the start of 2026: after that day in every time zone. */
const later = 172_800_000

/** Adds an item with a one-time code. */
async function addCode(): Promise<string> {
  const { service, caller, vaultId } = fixture.vault
  const fields = [{ id: 'code', label: 'Sign-in code', type: 'TOTP', value: otpauth }] as const
  const item = { category: 'LOGIN', title: 'Mail', fields } as const
  return (await service.createItem(caller, { vaultId, item })).id
}

describe('createPage for people in Chromium', () => {
  it('shows requests, patches and seeds only with developer: true', async () => {
    for (const developer of [false, true]) {
      const tab = await fixture.openSignedIn({ developer })
      const hash = `#/${fixture.vault.vaultId}/${await addCode()}`
      await openFragment(tab, hash)
      await tab.getByRole('link', { name: 'Edit', exact: true }).waitFor()
      const count = developer ? 1 : 0
      expect(await tab.getByRole('link', { name: 'Patch' }).count()).toBe(count)
      await openFragment(tab, `${hash}/patch`)
      await tab.getByRole('heading', { name: developer ? 'Patch Mail' : 'Mail' }).waitFor()
      await openFragment(tab, `${hash}/edit`)
      await tab.getByLabel('Title').fill('Mail 2')
      expect(await tab.getByRole('button', { name: 'Show Sign-in code' }).count()).toBe(count)
      // A seed is not shown as another type of field either.
      await tab.getByLabel('Type').selectOption({ label: 'Password' })
      expect(await tab.getByRole('button', { name: 'Show Sign-in code' }).count()).toBe(count)
      await tab.getByLabel('Type').selectOption({ label: 'One-time code' })
      await tab.getByRole('button', { name: 'Save' }).click()
      await tab.getByRole('heading', { name: 'Mail 2' }).waitFor()
      expect(await tab.getByRole('region', { name: 'Request' }).count()).toBe(count)
      if (!developer) await fixture.page.close()
    }
  })

  it('shows a one-time code with the seconds that are left, and never its seed', async () => {
    const tab = await fixture.open({
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    const now = new Date('2027-01-01T00:00:10Z')
    await tab.clock.setFixedTime(now)
    await signIn(tab, fixture.vault.tokens.full)
    const itemId = await addCode()
    await openFragment(tab, `#/${fixture.vault.vaultId}/${itemId}`)
    const codeAt = (seconds: number) =>
      new TOTP({ secret }).generate({ timestamp: now.getTime() + seconds * 1000 })
    await tab.getByText(codeAt(0)).waitFor()
    await tab.getByText(/^ ?20 s left$/).waitFor()
    await tab.clock.setFixedTime(now.getTime() + 5_000)
    await tab.getByText(/^ ?15 s left$/).waitFor()
    await tab.clock.setFixedTime(now.getTime() + 20_000)
    await tab.getByText(codeAt(20)).waitFor()
    await tab.getByRole('button', { name: 'Copy Sign-in code' }).click()
    await waitForAnnouncement(tab, 'Copied Sign-in code.')
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(codeAt(20))
    expect(await tab.content()).not.toContain(secret)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Value').first().waitFor()
    const values = await tab.evaluate(() =>
      [...document.querySelectorAll('input, textarea')].map((one) => Reflect.get(one, 'value')),
    )
    expect(values.join() + (await tab.content())).not.toContain(secret)
  })

  it('names the types of fields in words, and sorts numbers as people do', async () => {
    const tab = await fixture.openSignedIn()
    const { service, caller, vaultId } = fixture.vault
    for (const title of ['Key 10', 'Key 9', 'Key 2'])
      await service.createItem(caller, { vaultId, item: { category: 'LOGIN', title } })
    for (const name of ['Vault 10', 'Vault 2']) await service.createVault(caller, { name })
    await openFragment(tab, `#/${vaultId}`)
    await tab.reload()
    await signIn(tab, fixture.vault.tokens.full)
    await tab.getByRole('link', { name: /Key 10/ }).waitFor()
    const texts = (label: string) =>
      tab.getByLabel(label, { exact: true }).locator('b').allTextContents()
    expect(await texts('Items')).toEqual(['Example', 'Key 2', 'Key 9', 'Key 10'])
    expect(await texts('Vaults').then((all) => all.slice(-2))).toEqual(['Vault 2', 'Vault 10'])
    await openFragment(tab, `#/${vaultId}/new`)
    const types = await tab.getByLabel('Type').first().locator('option').allTextContents()
    expect(types).toEqual([
      ...['Text', 'Password', 'Email address', 'Web address', 'One-time code', 'Date'],
      ...['Month and year', 'Choice'],
    ])
  })

  it('opens the only vault at the start, and leads back to the list', async () => {
    const tab = await fixture.openSignedIn({ context: { viewport: { width: 360, height: 700 } } })
    await tab.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    await tab.getByRole('link', { name: 'Vaults', exact: true }).last().click()
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()
    const { service, caller } = fixture.vault
    await service.createVault(caller, { name: 'Second' })
    await tab.reload()
    await signIn(tab, fixture.vault.tokens.full)
    await tab.getByRole('link', { name: 'Second' }).waitFor()
  })

  it('shows the item of a fragment that changes before the first frame', async () => {
    const tab = await fixture.open()
    const { vaultId, item, tokens } = fixture.vault
    await tab.addInitScript((hash) => {
      addEventListener('DOMContentLoaded', () => {
        location.hash = hash
      })
    }, `#/${vaultId}/${item.id}`)
    await tab.reload()
    await signIn(tab, tokens.full)
    await tab.locator('.depth-2 .fields').first().waitFor()
  })

  it('shows one line for each call in the activity, with titles', async () => {
    const tab = await fixture.openSignedIn()
    const { service, caller, vaultId, item } = fixture.vault
    const { id } = await service.createItem(caller, {
      vaultId,
      item: { category: 'LOGIN', title: 'Router' },
    })
    await service.getItems(caller, { vaultId, itemIds: [item.id, id] })
    await openFragment(tab, '#/activity')
    const lines = tab.locator('.activity li')
    const both = lines.filter({ hasText: 'Router' }).filter({ hasText: 'Example' })
    await both.first().waitFor()
    expect(await both.count()).toBe(1)
    const text = (await lines.allTextContents()).join('\n')
    expect(text).toContain('created item Router')
    expect(text).toContain('vault Test')
    expect(text).not.toMatch(/[0-9a-z]{26}/)
  })

  it('shows the outcome, operation, credential, address and agent of each call', async () => {
    const activity = createMemoryActivityLog()
    const tab = await fixture.openSignedIn({ service: { activity } })
    const { vaultId } = fixture.vault
    const resource = { type: 'ITEM', vault: { id: vaultId } } as const
    await activity.record({
      ...createEntry('bob', later),
      operation: 'useField',
      result: 'DENY',
      code: 'FORBIDDEN',
      use: { origin: 'https://api.example.com', method: 'GET' },
      credential: { name: 'crm', account: 'acme' },
      resource,
    })
    const agent = { userAgent: 'curl/8.16.0', requestIp: '203.0.113.7' }
    const actor = { ...createEntry('eve', later).actor, ...agent }
    await activity.record({ ...createEntry('eve', later), actor, resource })
    await activity.record({ ...createEntry('ann', later), result: 'PENDING', resource })
    await openFragment(tab, '#/activity')
    const lines = tab.locator('.activity li')
    const pending = lines.filter({ hasText: 'ann' })
    await pending.waitFor()
    expect(await pending.locator('.result').textContent()).toBe('pending')
    const denied = lines.filter({ hasText: 'bob' })
    expect(await denied.locator('.result').textContent()).toBe('denied')
    expect(await denied.locator('small').first().textContent()).toMatch(
      / · useField · FORBIDDEN · credential crm \(acme\) · GET https:\/\/api\.example\.com$/,
    )
    const seen = lines.filter({ hasText: 'eve' }).locator('small').last()
    expect(await seen.textContent()).toBe('203.0.113.7 · curl/8.16.0')
  })

  it('shows the entries that match the filters, page by page', async () => {
    const activity = createMemoryActivityLog({ maxEntries: 20_000 })
    const tab = await fixture.openSignedIn({ service: { activity } })
    const resource = { type: 'VAULT', vault: { id: fixture.vault.vaultId } } as const
    for (let index = 0; index < 120; index++) {
      await activity.record({ ...createEntry('ann', later + index), resource })
      await activity.record({ ...createEntry('bob', later + index), result: 'DENY', resource })
    }
    await fixture.vault.service.createVault(fixture.vault.caller, { name: 'Other' })
    await openFragment(tab, '#/activity')
    const lines = tab.locator('.activity li')
    const status = tab.locator('.activity + .buttons [role=status]')
    await expect.poll(() => status.textContent()).toMatch(/^1–50 of 2\d\d$/)
    await tab.getByLabel('Caller').fill('ann')
    await tab.getByLabel('Result').selectOption('ok')
    await tab.keyboard.press('Tab')
    await tab.getByRole('button', { name: 'Filter' }).click()
    await expect.poll(() => status.textContent()).toBe('1–50')
    expect((await lines.allTextContents()).join('')).not.toContain('bob')
    await tab.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => status.textContent()).toBe('51–100')
    await tab.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => status.textContent()).toBe('101–120')
    expect(await tab.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true)
    await tab.getByRole('button', { name: 'Newer' }).click()
    await expect.poll(() => status.textContent()).toBe('51–100')
    await tab.getByLabel('Until').fill('2026-01-01T00:00')
    await tab.getByRole('button', { name: 'Filter' }).click()
    await tab.getByText('No entry matches.').waitFor()
    await tab.getByRole('button', { name: 'Clear' }).click()
    await expect.poll(() => status.textContent()).toMatch(/^1–50 of 2\d\d$/)
    expect(await tab.getByLabel('Caller').inputValue()).toBe('')
    await tab.getByLabel('Vault').selectOption('Other')
    await tab.getByRole('button', { name: 'Filter' }).click()
    await expect.poll(() => lines.allTextContents()).toHaveLength(1)
    expect(await lines.textContent()).toContain('created vault Other')
  })

  it('shows pages of a log whose total is not known, without filters', async () => {
    const activity = createMemoryActivityLog({ maxEntries: 20_000 })
    const tab = await fixture.openSignedIn({ extensions: false, service: { activity } })
    const resource = { type: 'VAULT', vault: { id: fixture.vault.vaultId } } as const
    for (let index = 0; index < 10_010; index++)
      await activity.record({ ...createEntry('ann', later + index), resource })
    await openFragment(tab, '#/activity')
    const status = tab.locator('.activity + .buttons [role=status]')
    await expect.poll(() => status.textContent()).toBe('1–50')
    await tab.getByRole('button', { name: 'Older' }).click()
    await expect.poll(() => status.textContent()).toBe('51–100')
    expect(await tab.locator('form').count()).toBe(0)
  })
})

describe('createPage for a caller who cannot create vaults in Chromium', {
  timeout: 60_000,
}, () => {
  it('does not show New vault', async () => {
    for (const createVaults of [false, true]) {
      const vault = await createTestVault()
      const wendy = createCaller({
        id: 'wendy',
        vaults: { [vault.vaultId]: 'read-write' },
        createVaults,
      })
      const options = { authenticate: () => wendy, extensions: true }
      const handler = createHttpHandler(vault.service, options)
      const listener = createNodeListener(createPage(handler, { readOnly: false }))
      const tab = await fixture.openListener(listener, '/ui')
      await tab.getByRole('link', { name: 'New item' }).waitFor()
      const count = await tab.getByRole('link', { name: 'New vault' }).count()
      expect(count).toBe(createVaults ? 1 : 0)
      if (!createVaults) await fixture.page.close()
    }
  })
})

describe('createPage after the end of a session in Chromium', () => {
  it('keeps what was typed, and links to signInUrl', async () => {
    let isSignedIn = true
    const authenticate = Object.assign(
      (_: HttpRequest) => isSignedIn && createCaller({ id: 'wendy', vaults: '*' }),
      { challenge: null },
    )
    const vault = await createTestVault()
    const handler = createHttpHandler(vault.service, { authenticate, extensions: true })
    const options = { readOnly: false, signInUrl: '/login?next=a&b' }
    const listener = createNodeListener(createPage(handler, options))
    const tab = await fixture.openListener(listener, '/ui')
    await openItem(tab, vault)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Title').fill('Typed')
    await tab.getByRole('button', { name: 'Show password' }).click()
    isSignedIn = false
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('What you have typed is kept.').waitFor()
    const link = tab.getByRole('link', { name: 'Sign in' })
    expect(await link.getAttribute('href')).toBe('/login?next=a&b')
    expect(await link.getAttribute('target')).toBe('_blank')
    expect(await tab.getByLabel('Title').isVisible()).toBe(false)
    await tab.getByRole('button', { name: 'Try again' }).click()
    await tab.getByText('What you have typed is kept.').waitFor()
    isSignedIn = true
    await tab.getByRole('button', { name: 'Try again' }).click()
    await tab.getByRole('button', { name: 'Show password' }).waitFor()
    expect(await tab.getByLabel('Title').inputValue()).toBe('Typed')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'Typed' }).waitFor()
    // Without a form, everything that was read is gone.
    isSignedIn = false
    await openFragment(tab, '#/activity')
    await tab.getByText('You are not signed in').waitFor()
    expect(await tab.content()).not.toContain('Typed')
    expect(await link.getAttribute('target')).toBeNull()
  })

  it('keeps what was typed when a token has expired', async () => {
    const tab = await fixture.openSignedIn()
    const { vaultId, tokens, service, caller } = fixture.vault
    await openFragment(tab, `#/${vaultId}/new`)
    await tab.getByLabel('Title').fill('Typed')
    await tab.getByLabel('Value').nth(1).fill('new-secret')
    await tab.route('**/items', (route) =>
      route.fulfill({ status: 401, headers: { 'www-authenticate': 'Bearer' }, body: '{}' }),
    )
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('What you have typed is kept.').waitFor()
    await tab.unroute('**/items')
    await signIn(tab, tokens.full)
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'Typed' }).waitFor()
    const items = await service.listItems(caller, { vaultId })
    expect(items.map(({ title }) => title)).toContain('Typed')
    await tab.getByRole('button', { name: 'Lock' }).click()
    await tab.getByLabel('Access token').waitFor()
    expect(await tab.content()).not.toContain('Typed')
  })
})
