/** A browser: a page answers how it conforms, once as it is, and once where code must not be made from text. */

import { createServer } from 'node:http'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { bundle } from './bundle.mjs'

/** Debian's. */
const executablePath = '/usr/bin/chromium'
const scriptPath = '/page.js'
/** Nothing is asked of any network but the loopback. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser that is running, its two runtimes, and what ends it. */
export async function startChromium() {
  const browser = await chromium.launch({ executablePath, args })
  const version = browser.version()
  const policy = "default-src 'self'; script-src 'self'"
  return {
    runtimes: [
      { name: 'Chromium', version, report: reporter(browser, {}) },
      {
        name: 'Chromium, no eval',
        version,
        report: reporter(browser, { 'content-security-policy': policy }),
      },
    ],
    stop: () => browser.close(),
  }
}

function reporter(browser, headers) {
  return async (consumer, broken = '') => {
    const script = await bundle(consumer, 'test/runtimes/conform.mjs', join(consumer, 'page.js'))
    const server = createServer((request, response) => {
      const isScript = request.url === scriptPath
      const type = isScript ? 'text/javascript' : 'text/html'
      response.writeHead(200, { ...headers, 'content-type': `${type}; charset=utf-8` })
      response.end(isScript ? script : '<!doctype html><title>cofferkit</title>')
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const page = await browser.newPage()
    try {
      await page.goto(`http://127.0.0.1:${server.address().port}/`)
      return await page.evaluate(
        async ([path, name]) => (await import(path)).report(name),
        [scriptPath, broken],
      )
    } finally {
      await page.close()
      server.close()
    }
  }
}
