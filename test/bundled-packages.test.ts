import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import {
  billOfMaterials,
  licensesText,
  packageFolders,
  readPackages,
} from '../tools/scripts/bundled-packages.js'

const folders = ['node_modules/zod', 'node_modules/@noble/ciphers', 'node_modules/@stricli/core']
const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version

/** The members that we write, as the schema of CycloneDX 1.6 defines them, and no other. */
const component = z.strictObject({
  type: z.literal('library'),
  'bom-ref': z.string().min(1),
  group: z.string().startsWith('@').exactOptional(),
  name: z.string().regex(/^[^@/]+$/),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  licenses: z.tuple([z.strictObject({ license: z.strictObject({ id: z.string().min(1) }) })]),
  purl: z.string().regex(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/),
})
const bill = z.strictObject({
  $schema: z.literal('http://cyclonedx.org/schema/bom-1.6.schema.json'),
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  version: z.literal(1),
  metadata: z.strictObject({ component }),
  components: z.array(component),
  dependencies: z.tuple([z.strictObject({ ref: z.string(), dependsOn: z.array(z.string()) })]),
})

describe('packageFolders', () => {
  it('returns the folders of packages with code in the output, and no other', async () => {
    const { metafile } = await build({
      stdin: {
        contents: `
          import { string } from 'zod/mini'
          import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
          import { Inflate } from 'fflate/browser'
          console.log(string, xchacha20poly1305)`,
        resolveDir: '.',
      },
      ...{ bundle: true, write: false, metafile: true, format: 'esm', treeShaking: true },
    })
    expect(Object.keys(metafile.inputs).join()).toContain('node_modules/fflate/')
    expect(packageFolders(metafile).toSorted()).toEqual([
      'node_modules/@noble/ciphers',
      'node_modules/zod',
    ])
  })
})

describe('readPackages', () => {
  it('returns name, version and license, sorted, and each package once', () => {
    const packages = readPackages([...folders, './node_modules/zod'])
    expect(packages).toEqual([
      {
        name: '@noble/ciphers',
        version: versionOf('@noble/ciphers'),
        license: 'MIT',
        licenseText: expect.stringContaining('Paul Miller'),
      },
      {
        name: '@stricli/core',
        version: versionOf('@stricli/core'),
        license: 'Apache-2.0',
        licenseText: expect.stringContaining('Apache License'),
      },
      {
        name: 'zod',
        version: versionOf('zod'),
        license: 'MIT',
        licenseText: expect.stringContaining('Colin McDonnell'),
      },
    ])
  })

  it('throws when there is no text of a license', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-license-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const manifest = { name: 'unlicensed', version: '1.0.0', license: 'MIT' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    expect(() => readPackages([folder])).toThrow('unlicensed has no file with its license')
  })
})

describe('licensesText', () => {
  it('begins each license with the name and the version of its package', () => {
    const texts = licensesText(readPackages(folders)).split(`\n${'-'.repeat(80)}\n\n`)
    expect(texts.map((text) => text.split('\n\n')[0])).toEqual([
      `@noble/ciphers ${versionOf('@noble/ciphers')}`,
      `@stricli/core ${versionOf('@stricli/core')}`,
      `zod ${versionOf('zod')}`,
    ])
    expect(texts[0]).toContain('Permission is hereby granted')
  })
})

describe('billOfMaterials', () => {
  const text = billOfMaterials(readPackages(folders))

  it('is a document of CycloneDX 1.6 with name, version, license and purl of each package', () => {
    const { metadata, components, dependencies } = bill.parse(JSON.parse(text))
    const own = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(metadata.component).toMatchObject({ name: 'cofferkit', version: own.version })
    expect(components[0]).toEqual({
      type: 'library',
      'bom-ref': `pkg:npm/%40noble/ciphers@${versionOf('@noble/ciphers')}`,
      group: '@noble',
      name: 'ciphers',
      version: versionOf('@noble/ciphers'),
      licenses: [{ license: { id: 'MIT' } }],
      purl: `pkg:npm/%40noble/ciphers@${versionOf('@noble/ciphers')}`,
    })
    expect(components[1]?.licenses).toEqual([{ license: { id: 'Apache-2.0' } }])
    expect(components[2]?.purl).toBe(`pkg:npm/zod@${versionOf('zod')}`)
    const [{ ref, dependsOn }] = dependencies
    expect(ref).toBe(metadata.component['bom-ref'])
    expect(dependsOn).toEqual(components.map((found) => found['bom-ref']))
  })

  it('is the same for the same packages, in whatever order they were bundled', () => {
    expect(billOfMaterials(readPackages(folders.toReversed()))).toBe(text)
  })
})
