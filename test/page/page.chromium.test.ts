import { createServer } from 'node:http'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { refuseCrossSite } from '../../examples/refuse-cross-site.js'
import { createMemoryActivityLog } from '../../src/activity.js'
import { createExpressHandler } from '../../src/adapters/express.js'
import { createNodeListener } from '../../src/adapters/node.js'
import { createCaller, type VaultServiceOptions } from '../../src/index.js'
import { createPage, type PageOptions } from '../../src/page.js'
import type { TestVault } from '../../src/testing.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import {
  axeViolations,
  focusedName,
  launchBrowser,
  type OpenPage,
  openPage,
  overflowOf,
  tabTo,
} from '../support/page-browser.js'

let browser: Browser
let page: OpenPage
let vault: TestVault

beforeAll(async () => {
  browser = await launchBrowser()
})

afterEach(async () => {
  expect(page.problems).toEqual([])
  expect(page.requests.filter((url) => !url.startsWith(page.origin))).toEqual([])
  await page.close()
})

afterAll(() => browser.close())

interface OpenOptions extends PageOptions {
  readonly extensions?: boolean
  readonly service?: Partial<VaultServiceOptions>
  readonly context?: Parameters<Browser['newContext']>[0]
}

/** Opens the page on a new test vault, without a token. */
async function open(options: OpenOptions = {}): Promise<Page> {
  const { extensions = true, service, context, ...pageOptions } = options
  const activity = createMemoryActivityLog()
  const serviceOptions = { activity, history: { maxVersions: 5 }, ...service }
  vault = await createTestVault(serviceOptions, { extensions })
  const handler = createPage(vault.handler, { readOnly: false, ...pageOptions })
  page = await openPage(browser, createNodeListener(handler), '/ui', context)
  return page.tab
}

/** Opens the page, types a token and waits for the vaults. */
async function openSignedIn(options: OpenOptions = {}): Promise<Page> {
  const tab = await open(options)
  await signIn(tab)
  return tab
}

async function signIn(tab: Page, token: string = vault.tokens.full): Promise<void> {
  await tab.getByLabel('Access token').fill(token)
  await tab.keyboard.press('Enter')
}

/** Opens the item of the test vault, or another one. */
async function openItem(tab: Page, itemId = vault.item.id): Promise<void> {
  await tab.evaluate((hash) => {
    location.hash = hash
  }, `#/${vault.vaultId}/${itemId}`)
  await tab.locator('.depth-2 .fields').first().waitFor()
}

const html = (tab: Page): Promise<string> => tab.content()
const secret = 'correct horse'

describe('createPage in Chromium', { timeout: 60_000 }, () => {
  it('signs in with a token that is only in memory', async () => {
    const tab = await open()
    await signIn(tab, 'wrong')
    await tab.getByText('The service rejected the token.').waitFor()
    await signIn(tab, 'pässword')
    await tab.getByText('A token has only letters').waitFor()
    await signIn(tab)
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()
    expect(await html(tab)).not.toContain(vault.tokens.full)
    expect(tab.url()).not.toContain(vault.tokens.full)
    const stored = await tab.evaluate(async () => [
      localStorage.length + sessionStorage.length,
      document.cookie,
      (await indexedDB.databases()).length,
    ])
    expect(stored).toEqual([0, '', 0])
    await tab.reload()
    await tab.getByLabel('Access token').waitFor()
    await signIn(tab)
    await tab.getByRole('button', { name: 'Lock' }).click()
    await tab.getByLabel('Access token').waitFor()
    expect(await html(tab)).not.toContain('Test</b>')
  })

  it('has a secret in the document only while it is shown', async () => {
    const tab = await openSignedIn()
    await openItem(tab)
    expect(await html(tab)).not.toContain(secret)
    const show = tab.getByRole('button', { name: 'Show password' })
    await show.click()
    expect(await html(tab)).toContain(secret)
    expect(await html(tab)).not.toContain('1234')
    await tab.getByRole('button', { name: 'Hide password' }).click()
    expect(await html(tab)).not.toContain(secret)
    await show.click()
    await tab.keyboard.press('Escape')
    expect(await html(tab)).not.toContain(secret)
    await show.click()
    await tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(await html(tab)).not.toContain(secret)
  })

  it('masks a value after 30 seconds', async () => {
    const tab = await open()
    await tab.clock.install()
    await signIn(tab)
    await openItem(tab)
    await tab.getByRole('button', { name: 'Show password' }).click()
    await tab.clock.runFor(29_000)
    expect(await html(tab)).toContain(secret)
    await tab.clock.runFor(1_500)
    await expect.poll(() => html(tab)).not.toContain(secret)
  })

  it('copies a value without showing it', async () => {
    const tab = await openSignedIn({
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
    })
    await openItem(tab)
    await tab.getByRole('button', { name: 'Copy password' }).click()
    await tab.getByText('Copied password.').waitFor()
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    expect(await html(tab)).not.toContain(secret)
  })

  it('has nothing that changes something unless readOnly is false', async () => {
    const tab = await openSignedIn({ readOnly: true })
    await openItem(tab)
    await tab.getByText('Read-only').waitFor()
    const names = await tab
      .getByRole('button')
      .evaluateAll((all) => all.map((one) => one.textContent))
    expect([...new Set(names)].sort()).toEqual(['Copy', 'Download', 'Lock', 'Show'])
    await tab.evaluate(() => {
      location.hash += '/edit'
    })
    await tab.getByRole('heading', { name: 'Example' }).waitFor()
    expect(await tab.locator('form').count()).toBe(0)
  })

  it('does every task with the keyboard', async () => {
    const tab = await open()
    await tabTo(tab, 'Access token')
    await tab.keyboard.type(vault.tokens.full)
    await tab.keyboard.press('Enter')
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()

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
    await tab.getByText('Patched.').waitFor()
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
    await tab.getByText('Archived.').waitFor()
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

  it('moves between links with the arrow keys', async () => {
    const tab = await openSignedIn()
    const { service, caller, vaultId } = vault
    for (const title of ['Alpha', 'Beta'])
      await service.createItem(caller, { vaultId, item: { category: 'LOGIN', title } })
    await tab.getByRole('link', { name: 'Test', exact: true }).click()
    await tab.getByRole('link', { name: /Alpha/ }).focus()
    await tab.keyboard.press('ArrowDown')
    expect(await focusedName(tab)).toContain('Beta')
    await tab.keyboard.press('ArrowUp')
    await tab.keyboard.press('ArrowUp')
    expect(await focusedName(tab)).toContain('Alpha')
  })

  it('has roles and names for screen readers', async () => {
    const tab = await openSignedIn()
    await openItem(tab)
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

  it('shows the request and the response of a change with masked values', async () => {
    const tab = await openSignedIn()
    await openItem(tab)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Value').nth(1).fill('battery staple')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Saved.').waitFor()
    const { vaultId, item } = vault
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
    const { service, caller } = vault
    const field = { vaultId, itemId: item.id, field: 'password' }
    expect((await service.getField(caller, field)).value).toBe('battery staple')
  })

  it('shows a refused change, and does not overwrite a newer version', async () => {
    const tab = await openSignedIn()
    await openItem(tab)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Title').fill('Mine')
    const { service, caller, vaultId, item } = vault
    const patch = [{ op: 'replace', path: '/title', value: 'Theirs' }] as const
    await service.patchItem(caller, { vaultId, itemId: item.id, patch })
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('region', { name: 'Request' }).getByText('412').waitFor()
    expect((await service.getItem(caller, { vaultId, itemId: item.id })).title).toBe('Theirs')
  })

  it('downloads, uploads and removes files', async () => {
    const tab = await openSignedIn()
    await openItem(tab)
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
    await tab.getByRole('button', { name: 'Upload' }).click()
    await tab.getByRole('button', { name: `Download ${name}` }).waitFor()
    const { service, caller, vaultId, item } = vault
    const files = await service.listFiles(caller, { vaultId, itemId: item.id })
    expect(files.map((file) => file.name)).toContain(name)

    await tab.getByRole('button', { name: 'Remove hello.txt' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await tab.getByText('Removed.').waitFor()
    await tab.getByText('hello.txt').waitFor({ state: 'detached' })
  })

  it('hides uploads, versions and states without the extensions', async () => {
    const tab = await openSignedIn({ extensions: false })
    await openItem(tab)
    await tab.getByRole('button', { name: 'Delete' }).waitFor()
    for (const name of ['Archive', 'Upload', 'Remove hello.txt', 'New vault'])
      expect(await tab.getByText(name, { exact: true }).count()).toBe(0)
    expect(await tab.getByRole('heading', { name: 'History' }).count()).toBe(0)
    expect(page.requests.filter((url) => url.includes('/versions'))).toEqual([])
  })

  it('renders hostile values as text', async () => {
    const tab = await openSignedIn()
    const { service, caller, vaultId } = vault
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
    await openItem(tab, created.id)
    await tab.getByRole('heading', { name: attack }).waitFor()
    expect(await tab.getByLabel('Long').inputValue()).toBe(long)
    expect(await tab.locator('#app img, #app script').count()).toBe(0)
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByRole('heading', { name: 'Edit item' }).waitFor()
    expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    await tab.getByLabel('Title').fill(`${attack}2`)
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: `${attack}2` }).waitFor()
  })

  it('renders 1,000 fields, and shows one', async () => {
    const tab = await openSignedIn()
    const { service, caller, vaultId } = vault
    const fields = Array.from({ length: 1000 }, (_, index) => ({
      id: `f${index}`,
      type: 'CONCEALED' as const,
      value: `secret-${index}-`,
    }))
    const item = { category: 'CUSTOM', fields } as const
    const { id } = await service.createItem(caller, { vaultId, item })
    await openItem(tab, id)
    expect(await tab.locator('.field').count()).toBe(1000)
    await tab.getByRole('button', { name: 'Show f999' }).click()
    const text = await html(tab)
    expect(text.match(/secret-\d+-/g)).toEqual(['secret-999-'])
  })

  it('ignores fragments of another form', async () => {
    const tab = await openSignedIn()
    for (const hash of ['#/../../evil', '#//evil.example/x', `#/${vault.vaultId}/..%2f..`, '#<b>'])
      await tab.evaluate((next) => {
        location.hash = next
      }, hash)
    await tab.getByText('Choose a vault.').waitFor()
    expect(page.requests.every((url) => /\/(?:ui|v1\/vaults)$/.test(url))).toBe(true)
  })
})

const looks = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['forced colors', { forcedColors: 'active' }],
] as const
const widths = [360, 768, 1280] as const
const cases = looks.flatMap(([look, context]) =>
  widths.map((width) => ({
    look,
    width,
    context: { ...context, viewport: { width, height: 800 } },
  })),
)

describe('createPage with axe', { timeout: 60_000 }, () => {
  it.each(cases)('has no violation in $look at $width pixels', async ({ context }) => {
    const tab = await open({ context })
    await tab.getByLabel('Access token').waitFor()
    const found: (readonly string[])[] = []
    const check = async (): Promise<void> => {
      found.push(await axeViolations(tab))
      expect(await overflowOf(tab)).toBeLessThanOrEqual(0)
    }
    const show = async (hash: string, heading: string): Promise<void> => {
      await tab.evaluate((next) => {
        location.hash = next
      }, hash)
      await tab.getByRole('heading', { name: heading, exact: true }).waitFor()
      await check()
    }
    await check()
    await signIn(tab)
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()
    await check()
    const { vaultId, item } = vault
    const itemHash = `#/${vaultId}/${item.id}`
    await show('#/new', 'New vault')
    await show(`#/${vaultId}`, 'Test')
    await show(`#/${vaultId}/new`, 'New item')
    await show(itemHash, 'Example')
    await tab.getByRole('button', { name: 'Show password' }).click()
    await tab.getByRole('button', { name: 'Archive' }).click()
    await tab.getByText('Archived.').waitFor()
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

describe('createPage behind a login with cookies in Chromium', { timeout: 60_000 }, () => {
  it('uses the cookie under a prefix of Express, and passes the check of other sites', async () => {
    vault = await createTestVault()
    const handler = createPage(
      createHttpHandler(vault.service, {
        authenticate: fromNodeCookie,
        extensions: true,
        beforeOperation: refuseCrossSite,
      }),
      { readOnly: false },
    )
    const app = express()
    app.get('/login', (_req, res) => {
      res.cookie('s', '1', { sameSite: 'lax', httpOnly: true }).redirect('/app/secrets/ui')
    })
    app.use('/app/secrets', createExpressHandler(handler))
    page = await openPage(browser, app, '/app/secrets/ui')
    const { tab } = page
    await tab.getByText('You are not signed in').waitFor()
    expect(await tab.getByLabel('Access token').count()).toBe(0)
    await tab.goto(`${page.origin}/login`)
    await tab.getByRole('link', { name: 'Test', exact: true }).click()
    await tab.getByRole('link', { name: /Example/ }).click()
    await tab.getByRole('link', { name: 'Edit', exact: true }).click()
    await tab.getByLabel('Title').fill('By cookie')
    await tab.keyboard.press('Enter')
    await tab.getByRole('heading', { name: 'By cookie' }).waitFor()
    await tab.goto(`${page.origin}/app/secrets/ui/`)
    await tab.getByRole('link', { name: 'Test', exact: true }).waitFor()
  })

  it('asks to sign in when the app redirects to its login', async () => {
    vault = await createTestVault()
    const listener = createNodeListener(createPage(vault.handler))
    const app = createServer((req, res) => {
      if (req.url === '/ui') return listener(req, res)
      return void res.writeHead(302, { location: '/login' }).end()
    })
    const [guard] = app.listeners('request') as [Parameters<typeof openPage>[1]]
    page = await openPage(browser, guard, '/ui')
    await page.tab.getByText('You are not signed in').waitFor()
  })
})

const fromNodeCookie = Object.assign(
  ({ header }: { header(name: string): string | undefined }) =>
    /\bs=1\b/.test(header('cookie') ?? '') && createCaller('wendy', '*'),
  { challenge: null },
)
