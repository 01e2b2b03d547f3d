import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { plainEnv, type Running, startProgramIn } from '../support/source/program.js'

const key = 'mk_0123456789abcdefWXYZ'

let browser: Browser
let program: Running
let origin: string

beforeAll(async () => {
  const port = String(await freePort())
  program = startProgramIn(process.cwd(), 'examples/customer-keys.ts', {
    ...plainEnv(),
    PORT: port,
  })
  origin = (await program.printed('/\n')).trim()
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
})

afterAll(async () => {
  await browser?.close()
  program?.kill()
})

/** A tab in which a customer is logged in, and the bodies of all responses. */
async function logIn(
  name: string,
  { isNew = true } = {},
): Promise<{ readonly tab: Page; readonly bodies: string[] }> {
  const context = await browser.newContext()
  const tab = await context.newPage()
  const bodies: string[] = []
  tab.on('response', async (response) => {
    bodies.push(await response.text().catch(() => ''))
  })
  await tab.goto(origin)
  await tab.getByLabel('Email').fill(`${name}@example.com`)
  await tab.getByLabel('Password').fill('correct horse battery staple')
  await tab.getByRole('button', { name: isNew ? 'Sign up' : 'Log in' }).click()
  await waitForStatus(tab, 'No key')
  return { tab, bodies }
}

const waitForStatus = (tab: Page, text: string): Promise<void> =>
  tab.getByRole('status').filter({ hasText: text }).waitFor()

async function save(tab: Page, value: string): Promise<void> {
  await tab.getByLabel('API key').fill(value)
  await tab.getByRole('button', { name: 'Save' }).click()
}

describe('examples/customer-keys.ts in Chromium', () => {
  it('saves, checks and removes a key that no response contains', async () => {
    const { tab, bodies } = await logIn('wendy')
    await tab.getByLabel('Sender').fill('shop@example.com')
    await save(tab, key)
    await waitForStatus(tab, 'Key ok, saved by wendy@example.com')
    await tab.reload()
    await waitForStatus(tab, 'Key ok, saved by wendy@example.com')
    const input = tab.getByLabel('API key')
    expect(await input.inputValue()).toBe('')
    expect(await input.getAttribute('placeholder')).toBe('…WXYZ')
    expect(await tab.getByLabel('Sender').inputValue()).toBe('shop@example.com')
    await tab.getByRole('button', { name: 'Check' }).click()
    await waitForStatus(tab, 'Key ok')
    await tab.getByRole('button', { name: 'Remove' }).click()
    await waitForStatus(tab, 'No key')
    await expect.poll(() => bodies.length).toBeGreaterThan(5)
    expect(bodies.join('\n')).not.toContain(key.slice(3, -4))
  })

  it('keeps the key when the provider rejects another one, or the field stays empty', async () => {
    const { tab } = await logIn('carl')
    await save(tab, key)
    await waitForStatus(tab, 'Key ok')
    await save(tab, 'wrong')
    await waitForStatus(tab, 'the provider rejects the values of mailer')
    await save(tab, '…WXYZ')
    await waitForStatus(tab, 'key is the hint of the stored value')
    await save(tab, ` ${key}`)
    await waitForStatus(tab, 'key must not begin or end with white space')
    await save(tab, '')
    await waitForStatus(tab, 'Key ok, saved by carl@example.com')
    expect(await tab.getByLabel('API key').getAttribute('placeholder')).toBe('…WXYZ')
  })

  it('shows the key of no other customer', async () => {
    const { tab } = await logIn('wendy', { isNew: false })
    expect(await tab.getByLabel('API key').getAttribute('placeholder')).toBe('')
  })

  it('needs a login', async () => {
    const response = await fetch(`${origin}api/credentials`)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBeNull()
  })
})
