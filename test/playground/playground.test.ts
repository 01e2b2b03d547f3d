import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gzippedSize } from '../../scripts/browser-bundle.js'
import { bundlePlayground, playgroundHtml, writePlayground } from '../../scripts/playground.js'
import { examples } from '../../site/playground/examples.js'

const html = await playgroundHtml()
const [, script = ''] = /<script>(.*)<\/script>/s.exec(html) ?? []
const [, style = ''] = /<style>(.*)<\/style>/s.exec(html) ?? []

describe('writePlayground', () => {
  it('writes one file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-playground-'))
    try {
      await writePlayground(folder)
      expect(readdirSync(folder)).toEqual(['playground.html'])
      expect(readFileSync(join(folder, 'playground.html'), 'utf8')).toBe(html)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('playground.html', () => {
  it('allows only its own script and style, by their hashes, and no request', () => {
    const hash = (text: string): string => createHash('sha256').update(text).digest('base64')
    expect(html).toContain(
      `<meta http-equiv="content-security-policy" content="default-src 'none'; ` +
        `script-src 'sha256-${hash(script)}'; style-src 'sha256-${hash(style)}'; ` +
        `img-src data:; base-uri 'none'; form-action 'none'; ` +
        `require-trusted-types-for 'script'; trusted-types 'none'">`,
    )
    expect(html.match(/<script|<style|<link|<img| on\w+=| style=| src=/g)).toEqual([
      '<link',
      '<style',
      '<script',
    ])
  })

  it('has its policy before everything that the policy applies to', () => {
    const policy = html.indexOf('content-security-policy')
    for (const element of ['<link', '<style', '<script'])
      expect(html.indexOf(element)).toBeGreaterThan(policy)
  })

  it('creates no code from text', () => {
    expect(/\beval\(|new Function|=Function\b/.exec(script)?.[0]).toBeUndefined()
  })

  it('loads nothing and links only to pages of the docs', () => {
    expect(style).not.toContain('url(')
    const links = [...script.matchAll(/"((?:documents\/)?[\w-]+\.html)"/g)].map(([, link]) => link)
    expect(links).toContain('index.html')
    for (const link of links) {
      const page = /^documents\/([\w-]+)\.html$/.exec(String(link))?.[1]
      if (page !== undefined) expect(existsSync(`docs/${page}.md`), link).toBe(true)
    }
  })

  it('contains the license of each package in its script', async () => {
    const { packages } = await bundlePlayground()
    expect(packages).toEqual(['fast-json-patch', 'preact', 'zod'])
    const [, list = ''] = /<!--(.*)-->/s.exec(html) ?? []
    expect([...list.matchAll(/^([@\w/-]+):$/gm)].map(([, name]) => name)).toEqual(packages)
    expect(list.match(/Permission is hereby granted, free of charge/g)).toHaveLength(3)
  })

  it('has at most 56 kB compressed by gzip', () => {
    expect(gzippedSize(html)).toBeLessThanOrEqual(56_000)
  })
})

describe('examples', () => {
  it('have names and fragments of their own', () => {
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length)
    expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length)
    for (const { id } of examples) expect(id).toMatch(/^[a-z-]+$/)
  })
})
