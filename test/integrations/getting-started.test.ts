import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { packageFolder } from '../../tools/scripts/integrations.js'
import { findBlocks, readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { compileErrors } from './support/source/compiler.js'
import { startProgramIn } from './support/source/program.js'

/** The packages that the servers of the page import. */
const packages = ['express', 'express-session', 'fastify', '@fastify/cookie', '@fastify/session']

const page = 'docs/frameworks.md'

/** The frameworks of the page: the tabs of its code groups. */
const frameworks = ['Express', 'Fastify', 'Hono', 'Next.js']

/** The text of a file of the page, for those who use this framework. */
function fileFor(framework: string, name: string): string {
  const found = findBlocks(page).find(({ file, tabs }) => file === name && tabs.includes(framework))
  expect(found).toBeDefined()
  return found?.text ?? ''
}

/** Returns the cookie of a login through a proxy, from the changed server of the page. */
function logInThroughProxy(framework: string, change: (text: string) => string): Promise<string> {
  return withFolder(async (folder) => {
    for (const name of packages) {
      mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true })
      symlinkSync(packageFolder(name), join(folder, 'node_modules', name))
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    for (const name of ['vault.ts', 'server.ts'])
      writeFileSync(join(folder, name), change(fileFor(framework, name)))
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

describe('docs/frameworks.md', () => {
  const groups = [...readPage(page).matchAll(/^::: code-group\n([\s\S]*?)^:::$/gm)]

  it('has each framework in one tab of each code group', () => {
    expect(groups.length).toBeGreaterThan(3)
    for (const [, group = ''] of groups) {
      const labels = [...group.matchAll(/^```\w+ \[(.+)\]$/gm)].map(([, label = '']) => label)
      expect(labels.flatMap((label) => label.split(', '))).toEqual(frameworks)
    }
  })

  it('names the file and the frameworks of each tab in its first line, for GitHub', () => {
    for (const { text, file, tabs } of findBlocks(page).filter(({ tabs }) => tabs.length > 0)) {
      const label = tabs.join(', ')
      expect(text.split('\n')[0]).toBe(file === undefined ? `# ${label}` : `// ${file} (${label})`)
    }
  })
})

describe('login of docs/frameworks.md', () => {
  it.each([
    ['Express', "app.set('trust proxy', '127.0.0.1')", '// The vault behind it.'],
    ['Fastify', "fastify({ trustProxy: '127.0.0.1' })", 'fastify()'],
  ])(
    'of %s sets a secure cookie behind a proxy with the line of the page',
    async (name, line, place) => {
      expect(readPage(page)).toContain(`\`${line}\``)
      expect(await logInThroughProxy(name, (code) => code)).not.toMatch(/; Secure/i)
      const change = (code: string): string => code.replace(place, line)
      expect(await logInThroughProxy(name, change)).toMatch(/; Secure/i)
    },
  )
})

describe('openVault of docs/frameworks.md', () => {
  it('tries again after a failure', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'vault.ts'), fileFor('Next.js', 'lib/vault.ts'))
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
    const blocks = findBlocks('docs/testing.md')
    const rotateTest = blocks.find(({ file }) => file === 'rotate.test.ts')?.text
    const text = (rotateTest ?? '').replace(
      "import { rotate } from './rotate.ts'",
      'declare const rotate: (...parameters: readonly object[]) => Promise<boolean>',
    )
    const options = { strict: false, exactOptionalPropertyTypes: false }
    expect(compileErrors(new Map([['rotate.test.ts', text]]), options)).toEqual([])
  })
})
