import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { HttpRequest } from '../src/http/message.js'
import { createPage } from '../src/page.js'
import { bundlePage, compressedSize, generatedPage } from '../tools/scripts/page.js'
import { createHttpHandler, createTestVault } from './support/http/checked-handlers.js'
import { mounts } from './support/http/mounts.js'
import { createRequest } from './support/http/requests.js'
import { withServer } from './support/http/serve.js'

const vault = await createTestVault({}, { extensions: true })
const page = createPage(vault.handler)

const get = (url: string, method = 'GET'): HttpRequest => createRequest(vault, method, url)

describe('createPage', () => {
  it.each([
    '/ui',
    '/ui/',
    '//ui',
    '/ui?a=b',
    '/ui/?a',
    'http://localhost/ui',
    'HTTPS://[::1]:8/ui#a',
  ])('returns the page for %s', async (url) => {
    const { status, headers, body } = await page(get(url))
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(String(body)).toMatch(/^<!doctype html>/)
  })

  it.each(['/', '/ui/a', '/uis', '///ui', '/UI', '/%75i', '/v1/ui', '/ui//', 'ui', ''])(
    'passes %j to the handler',
    async (url) => {
      const request = get(url)
      let received: HttpRequest | undefined
      const response = { status: 404, headers: {}, body: null }
      const handler = createPage(async (passed) => {
        received = passed
        return response
      })
      expect(await handler(request)).toBe(response)
      expect(received).toBe(request)
    },
  )

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'responds to %s with 405',
    async (method) => {
      const { status, headers } = await page(get('/ui', method))
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
    },
  )

  it('returns the headers without the body for HEAD', async () => {
    const [head, full] = [await page(get('/ui', 'HEAD')), await page(get('/ui'))]
    const length = String(Buffer.byteLength(String(full.body)))
    const headers = {
      ...full.headers,
      'content-length': length,
      'x-request-id': head.headers['x-request-id'],
    }
    expect(head).toEqual({ ...full, headers, body: null })
  })

  it('returns the page below the base path only', async () => {
    const { service, tokens } = vault
    const authenticate = () => vault.caller
    const api = createHttpHandler(service, { authenticate, basePath: '/secrets', extensions: true })
    const based = createPage(api, { basePath: '/secrets' })
    const { status, body } = await based(createRequest({ tokens }, 'GET', '/secrets/ui'))
    expect(status).toBe(200)
    expect(body).toContain('data-extensions="true"')
    expect((await based(get('/ui'))).status).toBe(404)
  })

  it('allows only its own script and style, by their hashes', async () => {
    const { headers, body } = await page(get('/ui'))
    const hash = (text = ''): string => createHash('sha256').update(text).digest('base64')
    const [, script] = /<script>(.*)<\/script>/s.exec(String(body)) ?? []
    const [, style] = /<style>(.*)<\/style>/s.exec(String(body)) ?? []
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'sha256-${hash(script)}'; ` +
        `style-src 'sha256-${hash(style)}'; connect-src 'self'; img-src data:; base-uri 'none'; ` +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    )
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    expect(String(body).match(/<script|<style| on\w+=| style=/g)).toEqual(['<style', '<script'])
  })

  it('contains no data and no address of another site', async () => {
    const { body } = await page(get('/ui'))
    expect(body).not.toContain(vault.vaultId)
    const urls = String(body).match(/https?:\/\/[\w.]+/g) ?? []
    expect(new Set(urls)).toEqual(
      new Set(['http://www.w3.org']), // the namespaces of SVG and MathML
    )
  })

  it('is read-only unless stated otherwise', async () => {
    expect((await page(get('/ui'))).body).toContain('data-read-only="true"')
    const writable = createPage(vault.handler, { readOnly: false })
    expect((await writable(get('/ui'))).body).toContain('data-read-only="false"')
  })

  it('is for developers only with developer: true', async () => {
    expect((await page(get('/ui'))).body).toContain('data-developer="false"')
    const developer = createPage(vault.handler, { developer: true })
    expect((await developer(get('/ui'))).body).toContain('data-developer="true"')
  })

  it('throws a TypeError for a signInUrl that is neither of the web nor a path', () => {
    for (const signInUrl of ['login', '//evil.example', '/\\evil.example', 'javascript:alert(1)'])
      expect(() => createPage(vault.handler, { signInUrl })).toThrow(TypeError)
    for (const signInUrl of ['', '/', '/login?next=%2F', 'https://login.example.com/a'])
      expect(() => createPage(vault.handler, { signInUrl })).not.toThrow()
  })

  it('escapes the title', async () => {
    const title = `"><script>alert('&')</script>`
    const { body } = await createPage(vault.handler, { title })(get('/ui'))
    expect(body).not.toContain('<script>alert')
    expect(body).toContain('<title>&#34;&#62;&#60;script&#62;alert(&#39;&#38;&#39;)')
  })

  it.each([
    [true, 'true'],
    [false, 'false'],
  ])('finds out whether the API has extensions: %s', async (extensions, expected) => {
    const { handler } = await createTestVault({}, { extensions })
    expect((await createPage(handler)(get('/ui'))).body).toContain(`data-extensions="${expected}"`)
  })

  it('serves the page without extensions when the handler fails', async () => {
    const failing = createPage(() => Promise.reject(new Error('failed')))
    expect((await failing(get('/ui'))).body).toContain('data-extensions="false"')
    await expect(failing(get('/v1/vaults'))).rejects.toThrow('failed')
  })

  it('throws a TypeError for an invalid base path', () => {
    for (const basePath of ['secrets', '/', '/secrets/'])
      expect(() => createPage(vault.handler, { basePath })).toThrow(TypeError)
  })
})

describe.each(mounts)('createPage in $name', ({ name, serve }) => {
  const hasPrefix = name !== 'node:http' && name !== 'fetch'

  it.each(hasPrefix ? ['', '/secrets', '/a/b'] : [''])('serves both under %j', async (prefix) => {
    const server = await serve(page, { prefix })
    await withServer(server, async (origin) => {
      const response = await fetch(`${origin}${prefix}/ui`)
      expect([response.status, await response.text()]).toEqual([200, (await page(get('/ui'))).body])
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      const { status } = await fetch(`${origin}${prefix}/v1/vaults`)
      expect(status).toBe(401)
      const head = await fetch(`${origin}${prefix}/ui/`, { method: 'HEAD' })
      expect(head.status).toBe(200)
    })
  })
})

describe('src/page/generated.ts', () => {
  it('equals the output of npm run generate', async () => {
    expect(readFileSync('src/page/generated.ts', 'utf8')).toBe(await generatedPage())
  })

  it('has at most 25 kB compressed by gzip', async () => {
    expect(compressedSize(await bundlePage())).toBeLessThan(25_000)
  })

  it('contains no package but that whose license it has', async () => {
    expect((await bundlePage()).packages).toEqual(['node_modules/preact'])
    expect(await generatedPage()).toContain('The script contains Preact, with this license:')
  })
})
