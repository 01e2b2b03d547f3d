import type { RequestListener } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { refuseCrossSite } from '../../../examples/refuse-cross-site.js'
import { createExpressHandler } from '../../../src/adapters/express.js'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpRequest } from '../../../src/http/message.js'
import { createCaller } from '../../../src/index.js'
import { createPage } from '../../../src/page.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { overflowOf, waitForAnnouncement } from '../support/page/browser.js'
import { openFragment, openItem, usePage } from '../support/page/use-page.js'

const fixture = usePage()

describe('createPage in Chromium', () => {
  it('has nothing that changes something unless readOnly is false', async () => {
    const tab = await fixture.openSignedIn({
      readOnly: true,
      title: 'A rather long title of an app',
      context: { viewport: { width: 360, height: 700 } },
    })
    await openItem(tab, fixture.vault)
    await tab.getByText('Read-only').waitFor()
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    const names = await tab
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.textContent))
    expect([...new Set(names)].sort()).toEqual(['Copy', 'Download', 'Lock', 'Show'])
    await openFragment(tab, `#/${fixture.vault.vaultId}/${fixture.vault.item.id}/edit`)
    await tab.getByRole('heading', { name: 'Example' }).waitFor()
    expect(await tab.locator('form').count()).toBe(0)
  })

  it('shows a refused change, and does not overwrite a newer version', async () => {
    const tab = await fixture.openSignedIn({ developer: true })
    await openItem(tab, fixture.vault)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Title').fill('Mine')
    const { service, caller, vaultId, item } = fixture.vault
    const patch = [{ op: 'replace', path: '/title', value: 'Theirs' }] as const
    await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('region', { name: 'Request' }).getByText('412').waitFor()
    expect((await service.getItem(caller, { vaultId, itemId: item.id })).title).toBe('Theirs')
  })

  it('downloads, uploads and removes files', async () => {
    const tab = await fixture.openSignedIn()
    await openItem(tab, fixture.vault)
    const started = tab.waitForEvent('download')
    await tab.getByRole('button', { name: 'Download hello.txt' }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe('hello.txt')
    const chunks = await (await download.createReadStream()).toArray()
    expect(Buffer.concat(chunks).toString()).toBe('hello')

    const content = Buffer.from('<script>alert(1)</script>')
    const name = 'a & b?<i>.html'
    await tab
      .getByLabel('File to upload')
      .setInputFiles({ name, mimeType: 'text/html', buffer: content })
    await tab.getByRole('button', { name: 'Upload', exact: true }).click()
    await tab.getByRole('button', { name: `Download ${name}` }).waitFor()
    const { service, caller, vaultId, item } = fixture.vault
    const files = await service.listFiles(caller, { vaultId, itemId: item.id })
    expect(files.map((file) => file.name)).toContain(name)

    await tab.getByRole('button', { name: 'Remove hello.txt' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await waitForAnnouncement(tab, 'Removed.')
    await tab.getByText('hello.txt', { exact: true }).waitFor({ state: 'detached' })
  })

  it('hides uploads, versions and states without the extensions', async () => {
    const tab = await fixture.openSignedIn({ extensions: false })
    await openItem(tab, fixture.vault)
    await tab.getByRole('button', { name: 'Delete' }).waitFor()
    for (const name of ['Archive', 'Upload', 'Remove hello.txt', 'New vault'])
      expect(await tab.getByText(name, { exact: true }).count()).toBe(0)
    expect(await tab.getByRole('heading', { name: 'History' }).count()).toBe(0)
    expect(fixture.page.requests.filter((url) => url.includes('/versions'))).toEqual([])
  })
})

/** A login with a cookie. */
const authenticate = Object.assign(
  ({ header }: HttpRequest) =>
    /\bs=1\b/.test(header('cookie') ?? '') && createCaller({ id: 'wendy', vaults: '*' }),
  { challenge: null },
)

describe('createPage behind a login with cookies in Chromium', () => {
  it('uses the cookie under a prefix of Express, and passes the check of other sites', async () => {
    const { service } = await createTestVault()
    const options = { authenticate: refuseCrossSite(authenticate), extensions: true }
    const page = createPage(createHttpHandler(service, options), { readOnly: false })
    const app = express()
    app.get('/login', (_req, res) => {
      res.cookie('s', '1', { sameSite: 'lax', httpOnly: true }).redirect('/app/secrets/ui')
    })
    app.use('/app/secrets', createExpressHandler(page))
    const tab = await fixture.openListener(app, '/app/secrets/ui')
    await tab.getByText('You are not signed in').waitFor()
    expect(await tab.getByLabel('Access token').count()).toBe(0)
    await tab.goto(`${fixture.page.origin}/login`)
    await tab.getByRole('link', { name: 'Test', exact: true }).click()
    await tab.getByRole('link', { name: /Example/ }).click()
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Title').fill('By cookie')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'By cookie' }).waitFor()
    await tab.goto(`${fixture.page.origin}/app/secrets/ui/`)
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()
  })

  it('asks to sign in when the app redirects to its login', async () => {
    const { handler } = await createTestVault()
    const listener = createNodeListener(createPage(handler))
    const app: RequestListener = (req, res) => {
      if (req.url === '/ui') return listener(req, res)
      res.writeHead(302, { location: '/login' }).end()
    }
    const tab = await fixture.openListener(app, '/ui')
    await tab.getByText('You are not signed in').waitFor()
    await tab.getByRole('button', { name: 'Try again' }).click()
    await tab.getByText('You are not signed in').waitFor()
  })
})
