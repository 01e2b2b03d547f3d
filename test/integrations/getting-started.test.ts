import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { packageFolder } from '../../tools/scripts/integrations.js'
import { findBlocks, readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { compileErrors } from './support/source/compiler.js'
import { startProgramIn } from './support/source/program.js'

/** The packages that the servers of these pages import. */
const packages = ['express', 'express-session', 'fastify', '@fastify/cookie', '@fastify/session']

/** The text of a file of a page. */
function fileOf(page: string, name: string): string | undefined {
  return findBlocks(page).find(({ file }) => file === name)?.text
}

/** Returns the cookie of a login through a proxy, from the changed server of a page. */
function logInThroughProxy(page: string, change: (text: string) => string): Promise<string> {
  return withFolder(async (folder) => {
    for (const name of packages) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(packageFolder(name), join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    for (const name of ['vault.ts', 'server.ts'])
      writeFileSync(join(folder, name), change(fileOf(page, name) ?? ''))
    const port = String(await freePort())
    const program = startProgramIn(folder, join(folder, 'server.ts'), { PORT: port })
    try {
      await program.printed('http://')
      const response = await fetch(`http://127.0.0.1:${port}/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'https' },
        body: JSON.stringify({ email: 'wendy@example.com', password: 'correct horse' }),
      })
      expect(response.status).toBe(204)
      return response.headers.get('set-cookie') ?? ''
    } finally {
      program.kill()
      await program.ended
    }
  })
}

describe('login of docs/getting-started-*.md', () => {
  it.each([
    ['express', "app.set('trust proxy', '127.0.0.1')", '// The vault behind it.'],
    ['fastify', "fastify({ trustProxy: '127.0.0.1' })", 'fastify()'],
  ])(
    'of %s sets a secure cookie behind a proxy with the line of the page',
    async (name, line, place) => {
      const page = `docs/getting-started-${name}.md`
      expect(readPage(page)).toContain(`\`${line}\``)
      expect(await logInThroughProxy(page, (code) => code)).not.toMatch(/; Secure/i)
      const change = (code: string): string => code.replace(place, line)
      expect(await logInThroughProxy(page, change)).toMatch(/; Secure/i)
    },
  )
})

describe('openVault of docs/getting-started-nextjs.md', () => {
  it('tries again after a failure', () =>
    withFolder(async (folder) => {
      const vault = fileOf('docs/getting-started-nextjs.md', 'lib/vault.ts') ?? ''
      writeFileSync(join(folder, 'vault.ts'), vault)
      const program = `
import { mkdirSync, rmdirSync } from 'node:fs'
import { callerOf, openVault } from './vault.ts'

mkdirSync('vault.db')
await openVault().catch(({ code }) => console.log(code))
rmdirSync('vault.db')
const service = await openVault()
console.log((await service.listVaults(callerOf('wendy'), {})).length, service === (await openVault()))`
      writeFileSync(join(folder, 'program.ts'), program)
      const { stdout } = await startProgramIn(folder, join(folder, 'program.ts'), {}).ended
      expect(stdout).toMatch(/^STORAGE_\w+\n1 true\n$/)
    }))
})

describe('createTestVault', () => {
  it('has an item without a seed in projects without strict, such as new ones of Next.js', () => {
    const text = (fileOf('docs/getting-started-express.md', 'rotate.test.ts') ?? '').replace(
      "import { rotate } from './rotate.ts'",
      'declare const rotate: (...parameters: readonly object[]) => Promise<boolean>',
    )
    const options = { strict: false, exactOptionalPropertyTypes: false }
    expect(compileErrors(new Map([['rotate.test.ts', text]]), options)).toEqual([])
  })
})
