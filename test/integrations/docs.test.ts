import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startLocalTransit } from '../support/auth/kms-transit.js'
import { findBlocks, listPages, readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { compileErrors, withoutDom } from './support/source/compiler.js'
import { fromHere } from './support/source/from-here.js'
import { runText } from './support/source/program.js'

const blocks = listPages().flatMap(findBlocks)

/** Blocks that are files import each other: `tools/scripts/test-guides.ts` compiles and runs them. */
const modules = blocks
  .filter(({ kind, file }) => kind.startsWith('ts') && file === undefined)
  .map(({ place, text }) => [`${place.replace(/[/:]/g, '-')}.ts`, fromHere(text)] as const)

/** Pages whose programs print only what comments in them show. */
const showsOutput = [
  ...['credentials', 'use', 'masking', 'agent-tools', 'agent', 'oauth'],
  ...['permissions', 'tenant-keys', 'activity', 'seal', 'own-table-secrets'],
]

/** The outputs that pages show below a program, by the text of the program. */
const outputs = new Map(
  listPages().flatMap((page) =>
    [
      ...readPage(page).matchAll(
        /^```ts run\n([\s\S]*?)^```\n\nIt prints:\n\n```text\n([\s\S]*?)^```$/gm,
      ),
    ].map(([, text = '', output = '']) => [text, output] as const),
  ),
)

describe('Markdown pages', () => {
  it('have TypeScript that compiles', () => {
    expect(compileErrors(new Map(modules))).toEqual([])
  })

  it('have TypeScript that compiles without DOM types', () => {
    expect(compileErrors(new Map(modules), withoutDom)).toEqual([])
  })

  it.each(blocks.filter(({ kind }) => kind === 'ts run'))(
    '$place runs',
    async ({ place, text }) => {
      const { code, stdout, stderr } = await runText(fromHere(text))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(outputs.get(text) ?? stdout)
      if (!showsOutput.some((page) => place.startsWith(`docs/${page}.md:`))) return
      const lines = stdout.split('\n').filter((line) => line.trim() !== '')
      expect(lines.filter((line) => !text.includes(`// ${line}`))).toEqual([])
      expect(lines.length).toBeGreaterThan(0)
    },
  )
})

describe('programs of docs/kms.md', () => {
  const programs = blocks.filter(
    ({ place, kind }) => place.startsWith('docs/kms.md') && kind === 'ts',
  )

  it('use each KMS', () => {
    const used = programs.map(({ text }) => /create(\w+)KeyProvider/.exec(text)?.[1])
    expect(used).toEqual(['Aws', 'Azure', 'Google', 'Transit'])
  })

  it.each(programs)('$place: encrypts a store with a stand-in of the KMS', ({ text }) =>
    withFolder(async (folder) => {
      const transit = await startLocalTransit('cofferkit', 'hvs.token')
      onTestFinished(() => transit.close())
      const program = fromHere(text).replace("'vault.db'", `'${join(folder, 'vault.db')}'`)
      // The key is unwrapped by the KMS once more.
      const again = `
        await store.forgetKeys()
        console.log((await service.listVaults(caller)).map(({ name }) => name).join())
        const { detectEncryption } = await import('cofferkit/encrypted')
        console.log(await detectEncryption(store.inner.records))`
      const env = { VAULT_ADDR: transit.address, VAULT_TOKEN: 'hvs.token' }
      const ended = await runText(program + again, env)
      const stdout = 'Team\nTeam\n{ encrypted: true, plaintext: false }\n'
      expect(ended).toEqual({ code: 0, stdout, stderr: '' })
    }),
  )
})
