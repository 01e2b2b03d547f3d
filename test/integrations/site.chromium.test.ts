import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { groups } from '../../tools/site/groups.js'
import { usePage } from './support/page/use-page.js'
import { serveFolder } from './support/site/serve-folder.js'

const fixture = usePage()
const folder = mkdtempSync(join(tmpdir(), 'cofferkit-site-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('npm run docs', () => {
  it('builds a site without a broken link, whose start page has the groups and no error', async () => {
    const script = ['--import', './tools/scripts/register-sources.ts', 'tools/scripts/docs.ts']
    const { stdout } = await promisify(execFile)(process.execPath, [...script, folder])
    const [, pages, links] = /(\d+) pages, (\d+) links\n$/.exec(stdout) ?? []
    expect(Number(pages)).toBeGreaterThan(400)
    expect(Number(links)).toBeGreaterThan(5_000)
    const tab = await fixture.openListener(serveFolder(folder), '/index.html')
    const summaries = tab.locator('#tsd-nav-container > li > details > summary')
    await summaries.first().waitFor()
    expect(await summaries.allTextContents()).toEqual(groups.map(({ title }) => title))
  }, 300_000)
})
