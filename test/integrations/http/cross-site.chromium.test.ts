import type { RequestListener } from 'node:http'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseCrossSite } from '../../../examples/refuse-cross-site.js'
import { createNodeListener, fromNode } from '../../../src/adapters/node.js'
import { createCaller } from '../../../src/index.js'
import { createHttpHandler, createTestVault } from '../../support/http/checked-handlers.js'
import { itemUrl, vaultUrl } from '../../support/http/requests.js'
import { withListener } from '../../support/http/serve.js'

let browser: Browser

beforeAll(async () => {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
})

afterAll(() => browser.close())

/** Requests that a page can send, as the text of a function of the URLs of the vault. */
const requests = {
  createItem: `({ items, draft }) => send(items, { method: 'POST', mode: 'no-cors', body: new Blob([draft]) })`,
  createItemAsText: `({ items, draft }) => send(items, { method: 'POST', mode: 'no-cors', body: draft })`,
  createItemAsJson: `({ items, draft }) => send(items, { method: 'POST', headers: json, body: draft })`,
  attachFile: `({ files }) => send(files, { method: 'POST', mode: 'no-cors', body: 'text' })`,
  attachFileByForm: `({ files }) => submit(files)`,
  restoreVersion: `({ version }) => send(version + '/restore', { method: 'POST', mode: 'no-cors' })`,
  replaceItem: `({ item, draft }) => send(item, { method: 'PUT', body: draft })`,
  patchItem: `({ item }) => send(item, { method: 'PATCH', headers: json, body: '[]' })`,
  deleteItem: `({ item }) => send(item, { method: 'DELETE' })`,
  getItem: `({ item }) => send(item, { mode: 'no-cors' })`,
}

const page = `<!doctype html><script>
  const json = { 'content-type': 'application/json' }
  const send = (url, options) =>
    fetch(url, { credentials: 'include', ...options }).then(() => {}, () => {})
  const submit = (url) => {
    const form = document.createElement('form')
    Object.assign(form, { action: url, method: 'post', enctype: 'text/plain' })
    document.body.append(form)
    form.submit()
  }
</script><body>`

/** The page of another site, of another origin of this site, or of the app itself. */
type Sender = 'cross-site' | 'same-site' | 'same-origin'

/**
 * Logs in with a cookie with these attributes, and sends a request from a page. Returns the method
 * and the status of each request that has reached the vault.
 */
async function sendFrom(
  sender: Sender,
  request: keyof typeof requests,
  { attributes = '; SameSite=Lax', isRefused = false } = {},
): Promise<readonly string[]> {
  const vault = await createTestVault({ history: { maxVersions: 2 } })
  const { service, caller, vaultId, item } = vault
  const patch = [{ op: 'replace', path: '/title', value: 'changed' }] as const
  await service.patchItem(caller, { vaultId, itemId: item.id, patch })
  const authenticate = fromNode(
    ({ headers }) => headers.cookie === 's=1' && createCaller({ id: 'me', vaults: '*' }),
  )
  const listener = createNodeListener(
    createHttpHandler(service, {
      authenticate: isRefused ? refuseCrossSite(authenticate) : authenticate,
      extensions: true,
    }),
  )
  const arrived: string[] = []
  const app: RequestListener = (req, res) => {
    if (!req.url?.startsWith('/v1')) {
      res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `s=1${attributes}` })
      return void res.end(page)
    }
    res.on('finish', () => arrived.push(`${req.method} ${res.statusCode}`))
    listener(req, res)
  }
  const other: RequestListener = (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html' }).end(page)
  }
  await withListener(app, (origin) =>
    withListener(other, async (otherOrigin) => {
      const context = await browser.newContext()
      const tab = await context.newPage()
      await tab.goto(origin)
      if (sender === 'same-site') await tab.goto(otherOrigin)
      if (sender === 'cross-site') await tab.goto(otherOrigin.replace('127.0.0.1', 'localhost'))
      const urls = {
        items: origin + vaultUrl(vault, '/items'),
        item: origin + itemUrl(vault),
        version: origin + itemUrl(vault, `/versions/${item.version}`),
        files: origin + itemUrl(vault, '/files?name=a'),
        draft: JSON.stringify({ category: 'LOGIN', vault: { id: vaultId } }),
      }
      await tab.evaluate(`(${requests[request]})(${JSON.stringify(urls)})`)
      await expect.poll(() => arrived.length).toBeGreaterThan(0)
      await context.close()
    }),
  )
  return arrived
}

const withoutPreflight = [
  ['createItem', 'POST 200'],
  ['attachFile', 'POST 200'],
  ['attachFileByForm', 'POST 200'],
  ['restoreVersion', 'POST 200'],
] as const

describe('createHttpHandler and a cookie of SameSite=Lax in Chromium', () => {
  it.each(withoutPreflight)(
    'accepts %s of another origin of the site',
    async (request, expected) => {
      expect(await sendFrom('same-site', request)).toEqual([expected])
    },
  )

  it.each(withoutPreflight)(
    'refuses %s of another origin with refuseCrossSite',
    async (request) => {
      expect(await sendFrom('same-site', request, { isRefused: true })).toEqual(['POST 403'])
    },
  )

  it.each(withoutPreflight)('responds with 401 to %s of another site', async (request) => {
    expect(await sendFrom('cross-site', request)).toEqual(['POST 401'])
  })

  it('responds with 415 to JSON that is declared as text', async () => {
    expect(await sendFrom('same-site', 'createItemAsText')).toEqual(['POST 415'])
  })

  it.each(['createItemAsJson', 'replaceItem', 'patchItem', 'deleteItem'] as const)(
    'receives only the preflight of %s, and rejects it',
    async (request) => {
      expect(await sendFrom('same-site', request)).toEqual(['OPTIONS 405'])
    },
  )

  it.each([
    ['createItem', 'POST 200'],
    ['createItemAsJson', 'POST 200'],
    ['attachFile', 'POST 200'],
    ['patchItem', 'PATCH 200'],
    ['deleteItem', 'DELETE 204'],
  ] as const)('accepts %s of its own pages with refuseCrossSite', async (request, expected) => {
    expect(await sendFrom('same-origin', request, { isRefused: true })).toEqual([expected])
  })

  it('responds to GET of every page, which cannot read the response', async () => {
    expect(await sendFrom('same-site', 'getItem', { isRefused: true })).toEqual(['GET 200'])
  })
})

describe('createHttpHandler and other cookies in Chromium', () => {
  it.each([
    ['without SameSite', ''],
    ['with SameSite=None', '; SameSite=None; Secure'],
  ])('accepts a form of another site with a cookie %s', async (_, attributes) => {
    expect(await sendFrom('cross-site', 'attachFileByForm', { attributes })).toEqual(['POST 200'])
    const refused = { attributes, isRefused: true }
    expect(await sendFrom('cross-site', 'attachFileByForm', refused)).toEqual(['POST 403'])
  })
})
