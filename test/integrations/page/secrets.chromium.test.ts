import { describe, expect, it } from 'vitest'
import { overflowOf, waitForAnnouncement } from '../support/page/browser.js'
import { openFragment, openItem, signIn, usePage } from '../support/page/use-page.js'

const fixture = usePage()
const secret = 'correct horse'

describe('createPage and secrets in Chromium', () => {
  it('signs in with a token that is only in memory', async () => {
    const tab = await fixture.open()
    await signIn(tab, 'wrong')
    await tab.getByText('The service rejected the token.').waitFor()
    await signIn(tab, 'pässword')
    await tab.getByText('A token has only letters').waitFor()
    await signIn(tab, fixture.vault.tokens.full)
    await tab.getByRole('heading', { name: 'Test', exact: true }).waitFor()
    expect(await tab.content()).not.toContain(fixture.vault.tokens.full)
    expect(tab.url()).not.toContain(fixture.vault.tokens.full)
    const stored = await tab.evaluate(async () => [
      localStorage.length + sessionStorage.length,
      document.cookie,
      (await indexedDB.databases()).length,
    ])
    expect(stored).toEqual([0, '', 0])
    await tab.reload()
    await tab.getByLabel('Access token').waitFor()
    await signIn(tab, fixture.vault.tokens.full)
    await openItem(tab, fixture.vault)
    await tab.route('**/v1/**', (route) => route.abort())
    await tab.getByRole('button', { name: 'Lock' }).click()
    expect(await tab.content()).not.toContain('wendy')
    await tab.unroute('**/v1/**')
    await tab.goto(`${fixture.page.origin}/ui`)
    await tab.getByLabel('Access token').waitFor()
    expect(await tab.content()).not.toContain('Test</b>')
  })

  it('has a secret in the document only while it is shown', async () => {
    const tab = await fixture.openSignedIn()
    await openItem(tab, fixture.vault)
    expect(await tab.content()).not.toContain(secret)
    const show = tab.getByRole('button', { name: 'Show password' })
    await show.click()
    expect(await tab.content()).toContain(secret)
    expect(await tab.content()).not.toContain('1234')
    await tab.getByRole('button', { name: 'Hide password' }).click()
    expect(await tab.content()).not.toContain(secret)
    await show.click()
    await tab.keyboard.press('Escape')
    expect(await tab.content()).not.toContain(secret)
    await show.click()
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(await tab.content()).not.toContain(secret)
  })

  it('masks a value after 30 seconds', async () => {
    const tab = await fixture.open()
    await tab.clock.install()
    await signIn(tab, fixture.vault.tokens.full)
    await openItem(tab, fixture.vault)
    await tab.getByRole('button', { name: 'Show password' }).click()
    await tab.clock.runFor(29_000)
    expect(await tab.content()).toContain(secret)
    await tab.clock.runFor(1_500)
    await expect.poll(() => tab.content()).not.toContain(secret)
  })

  it('copies a value without showing it', async () => {
    const tab = await fixture.openSignedIn({
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await openItem(tab, fixture.vault)
    await tab.getByRole('button', { name: 'Copy password' }).click()
    await waitForAnnouncement(tab, 'Copied password.')
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    expect(await tab.content()).not.toContain(secret)
  })

  it('shows the request and the response of a change with masked values', async () => {
    const tab = await fixture.openSignedIn({ developer: true })
    await openItem(tab, fixture.vault)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Value').nth(1).fill('battery staple')
    await tab.getByRole('button', { name: 'Save' }).click()
    await waitForAnnouncement(tab, 'Saved.')
    const { vaultId, item } = fixture.vault
    const panel = tab.getByRole('region', { name: 'Request' })
    const request = await panel.getByLabel('Request', { exact: true }).inputValue()
    expect(request).toBe(
      [
        `PATCH /v1/vaults/${vaultId}/items/${item.id}`,
        'content-type: application/json',
        `if-match: "${item.version}"`,
        '',
        JSON.stringify(
          [{ op: 'add', path: '/fields/password/value', value: '••••••••' }],
          undefined,
          2,
        ),
      ].join('\n'),
    )
    const response = await panel.getByLabel('Response', { exact: true }).inputValue()
    expect(response).toMatch(/^200 OK\n\n\{/)
    expect(response).not.toContain('battery staple')
    const values = tab.evaluate(() =>
      [...document.querySelectorAll('input, textarea')].map((one) => Reflect.get(one, 'value')),
    )
    expect(JSON.stringify(await values)).not.toContain('battery staple')
    const { service, caller } = fixture.vault
    const field = { vaultId, itemId: item.id, field: 'password' }
    expect((await service.getField(caller, field)).value).toBe('battery staple')
  })

  it('renders hostile values as text', async () => {
    const tab = await fixture.openSignedIn()
    const { service, caller, vaultId } = fixture.vault
    const attack =
      '<img src=x onerror="reportViolation(\'ran\')"><script>reportViolation(1)</script>'
    const long = `${attack}${'x'.repeat(65_000)}`
    const created = await service.createItem(caller, {
      vaultId,
      item: {
        category: 'LOGIN',
        title: attack,
        tags: [attack, '\u202eright to left', 'مفتاح'],
        sections: [{ id: '../..', label: attack }],
        fields: [
          { id: '__proto__', label: attack, value: attack, section: { id: '../..' } },
          { id: 'constructor', label: 'مفتاح', value: 'كلمة السر' },
          { id: 'long', label: 'Long', value: long },
        ],
      },
    })
    await openItem(tab, fixture.vault, created.id)
    await tab.getByRole('heading', { name: attack, level: 2 }).waitFor()
    expect(await tab.getByLabel('Long', { exact: true }).inputValue()).toBe(long)
    expect(await tab.locator('#app img, #app script').count()).toBe(0)
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByRole('heading', { name: 'Edit item' }).waitFor()
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    await tab.getByLabel('Title').fill(`${attack}2`)
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: `${attack}2`, level: 2 }).waitFor()
  })

  it('renders 1,000 fields, and shows one', async () => {
    const tab = await fixture.openSignedIn()
    const { service, caller, vaultId } = fixture.vault
    const fields = Array.from({ length: 1000 }, (_, index) => ({
      id: `f${index}`,
      type: 'CONCEALED' as const,
      value: `secret-${index}-`,
    }))
    const item = { category: 'CUSTOM', fields } as const
    const { id } = await service.createItem(caller, { vaultId, item })
    await openItem(tab, fixture.vault, id)
    expect(await tab.locator('.field').count()).toBe(1000)
    await tab.getByRole('button', { name: 'Show f999' }).click()
    const text = await tab.content()
    expect(text.match(/secret-\d+-/g)).toEqual(['secret-999-'])
  })

  it('ignores fragments of another form', async () => {
    const tab = await fixture.openSignedIn()
    await tab.getByRole('heading', { name: 'Test' }).waitFor()
    const { length } = fixture.page.requests
    for (const hash of [
      '#/../../evil',
      '#//evil.example/x',
      `#/${fixture.vault.vaultId}/..%2f..`,
      '#<b>',
    ])
      await openFragment(tab, hash)
    await tab.getByText('Choose a vault.').waitFor()
    expect(fixture.page.requests.slice(length)).toEqual([])
  })

  it('masks a value that is shown in the form', async () => {
    const tab = await fixture.openSignedIn()
    await openItem(tab, fixture.vault)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    const value = tab.getByLabel('Value').nth(1)
    expect(await value.inputValue()).toBe('')
    await tab.getByRole('button', { name: 'Show password' }).click()
    expect(await value.inputValue()).toBe(secret)
    await tab.keyboard.press('Escape')
    expect(await value.inputValue()).toBe('')
    expect(await value.getAttribute('type')).toBe('password')
  })

  it('runs no script that is added to it, and sends nothing to another origin', async () => {
    const tab = await fixture.openSignedIn()
    const results = await tab.evaluate(async () => {
      const script = document.createElement('script')
      const added = attempt(() => {
        script.text = 'reportViolation("ran")'
      })
      const parsed = attempt(() => {
        document.body.innerHTML = '<b></b>'
      })
      document.body.append(Object.assign(document.createElement('img'), { src: '/a.png' }))
      const sent = await fetch('http://localhost:9/').catch(() => 'rejected')
      return [added, parsed, sent]
      function attempt(change: () => void): string {
        try {
          change()
          return 'changed'
        } catch {
          return 'rejected'
        }
      }
    })
    expect(results).toEqual(['rejected', 'rejected', 'rejected'])
    const { problems } = fixture.page
    await expect.poll(() => problems.join()).toContain('connect-src http://localhost:9/')
    await expect.poll(() => problems.join()).toContain('img-src')
    expect(problems.join()).not.toContain('ran')
    problems.length = 0
  })
})
