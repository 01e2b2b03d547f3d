/** The checks in a browser: on a plain page, and on one whose policy forbids `eval`. */

import { createServer, type OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { bundle } from './bundle.js'
import type { RuntimeCheck } from './runtime-check.js'

/** Debian's package. */
const executablePath = '/usr/bin/chromium'
const scriptPath = '/page.js'
/** No request leaves the loopback network. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A running browser. */
export interface RunningChromium {
  readonly runtimes: readonly RuntimeCheck[]
  stop(): Promise<void>
}

/** Starts the browser for both checks. */
export async function startChromium(): Promise<RunningChromium> {
  const browser = await chromium.launch({ executablePath, args })
  const version = browser.version()
  const policy = "default-src 'self'; script-src 'self'"
  return {
    runtimes: [
      { name: 'Chromium', version, report: createReport(browser, {}) },
      {
        name: 'Chromium, no eval',
        version,
        report: createReport(browser, { 'content-security-policy': policy }),
      },
    ],
    stop: () => browser.close(),
  }
}

function createReport(browser: Browser, headers: OutgoingHttpHeaders): RuntimeCheck['report'] {
  return async (consumer, broken = '') => {
    const script = await bundle(consumer, 'test/runtimes/conform.mjs', join(consumer, 'page.js'))
    const server = createServer((request, response) => {
      const isScript = request.url === scriptPath
      const type = isScript ? 'text/javascript' : 'text/html'
      response.writeHead(200, { ...headers, 'content-type': `${type}; charset=utf-8` })
      response.end(isScript ? script : '<!doctype html><title>cofferkit</title>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    const page = await browser.newPage()
    try {
      await page.goto(`http://127.0.0.1:${address.port}/`)
      return await page.evaluate(async ({ path, name }) => (await import(path)).report(name), {
        path: scriptPath,
        name: broken,
      })
    } finally {
      await page.close()
      server.close()
    }
  }
}
