import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { entryPoints } from '../../tools/scripts/entry-points.js'
import { copyTemplate, templatePrograms } from '../../tools/scripts/store-template.js'
import { readPage } from '../support/source/pages.js'
import { plainEnv } from './support/source/program.js'

const names = [...recordStoreContract, ...blobStoreContract].map(({ name }) => name)

describe('examples/store-template, copied', { timeout: 120_000 }, () => {
  let folder = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cofferkit-template-'))
    copyTemplate(folder)
    await bundlePackage(join(folder, 'node_modules/cofferkit'))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  it('has as many tests as docs/writing-a-store.md says', () => {
    expect(readPage('docs/writing-a-store.md')).toContain(`all ${names.length} tests pass`)
  })

  it.each(['vitest', 'node', 'bun', 'deno'] as const)(
    'passes the contract with %s, which prints the name of each case once and whole',
    async (runner) => {
      const { code, output } = await run(runner)
      expect({ code, output }).toMatchObject({ code: 0 })
      expect(names.filter((name) => countLines(output, name) !== 1)).toEqual([])
    },
  )

  it.each(['vitest', 'node'] as const)(
    'fails with %s when the database does not compare before it writes',
    async (runner) => {
      const path = join(folder, 'src/database.ts')
      const source = readFileSync(path, 'utf8')
      const comparison = 'if (!isSameValue(values.get(key), expected)) return false'
      expect(source).toContain(comparison)
      writeFileSync(path, source.replace(comparison, 'void expected'))
      const { code, output } = await run(runner)
      writeFileSync(path, source)
      expect(code).toBe(1)
      expect(output).toContain('winners at version 0: expected 1, got 16')
    },
  )

  function run(program: keyof typeof templatePrograms): Promise<{ code: unknown; output: string }> {
    const { VITEST: _, NODE_ENV: __, ...env } = plainEnv()
    const options = { cwd: folder, env: { ...env, NO_COLOR: '1' }, maxBuffer: 1e8 }
    return new Promise((resolve) => {
      const [file, ...args] = templatePrograms[program]
      execFile(file, args, options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      )
    })
  }
})

/** Counts the lines that end with a name, apart from what a runner prints after it. */
function countLines(output: string, name: string): number {
  const lines = output
    .split('\n')
    .map((line) => line.trimEnd().replace(/(?: \.\.\. ok)?(?: [([]?[\d.]+ ?m?s[)\]]?)?$/, ''))
  const isNamed = (line: string): boolean =>
    line === `  ${name}` || ['✓', '✔', '>'].some((mark) => line.endsWith(`${mark} ${name}`))
  return lines.filter(isNamed).length
}

/** Builds the entry points that the template imports, so that `npm run build` is not needed. */
async function bundlePackage(folder: string): Promise<void> {
  const entries = entryPoints().filter(({ specifier }) =>
    ['cofferkit', 'cofferkit/testing'].includes(specifier),
  )
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: entries.map(({ source }) => source),
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    splitting: true,
    logLevel: 'silent',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  const exports = { '.': './index.js', './testing': './testing.js' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', exports }))
}
