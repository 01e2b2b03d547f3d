import { describe, expect, it } from 'vitest'
import { findBlocks, listPages } from '../support/source/pages.js'
import { compileErrors, withoutDom } from './support/source/compiler.js'
import { runText } from './support/source/program.js'

const blocks = listPages().flatMap(findBlocks)

/** Pages import examples as a program in the root of the project does. */
const fromHere = (text: string): string =>
  text
    .replaceAll("'./examples/", "'../../examples/")
    .replaceAll(/'(?:@aws-sdk|@azure|@google-cloud)\/[\w-]+'/g, "'./support/kms-packages.js'")
/** Blocks that are files import each other: `tools/scripts/test-guides.ts` compiles and runs them. */
const modules = blocks
  .filter(({ kind, file }) => kind.startsWith('ts') && file === undefined)
  .map(({ place, text }) => [`${place.replace(/[/:]/g, '-')}.ts`, fromHere(text)] as const)

describe('Markdown pages', () => {
  it('have TypeScript that compiles', () => {
    expect(compileErrors(new Map(modules))).toEqual([])
  })

  it('have TypeScript that compiles without DOM types', () => {
    expect(compileErrors(new Map(modules), withoutDom)).toEqual([])
  })

  it.each(blocks.filter(({ kind }) => kind === 'ts run'))('$place runs', async ({ text }) => {
    const { code, stderr } = await runText(fromHere(text))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('providers of docs/kms.md', () => {
  const providers = blocks.filter(
    ({ place, text }) => place.startsWith('docs/kms.md') && text.includes('export const keys'),
  )

  it('are samples of each KMS', () => {
    const used = providers.map(({ text }) => /create(\w+)KeyProvider/.exec(text)?.[1])
    expect(used).toEqual(['Aws', 'Azure', 'Google', 'Transit'])
  })

  it.each(providers.filter(({ text }) => !text.includes('Transit')))(
    '$place: encrypts a store with a stand-in of the KMS',
    async ({ text }) => {
      const { code, stdout, stderr } = await runText(`${fromHere(text)}
        import { createCaller, createVaultService } from 'cofferkit'
        import { createEncryptedStore } from 'cofferkit/encrypted'
        import { createMemoryStore } from 'cofferkit/memory'
        const inner = createMemoryStore()
        const open = () => createVaultService({ store: createEncryptedStore(inner, { keys }) })
        const caller = createCaller('test', '*')
        await open().createVault(caller, { name: 'Team' })
        console.log((await open().listVaults(caller, {})).map(({ name }) => name).join())
      `)
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Team\n', stderr: '' })
    },
  )
})
