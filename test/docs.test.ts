import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { httpApiPage } from '../scripts/http-api.js'
import { errorStatuses } from '../src/error-statuses.js'
import * as errors from '../src/errors.js'
import { faultsIn } from './support/compiler.js'
import { blocksOf, fragmentsOf, linksOf, pages, textOf } from './support/pages.js'
import { runText } from './support/program.js'

const blocks = pages().flatMap(blocksOf)

describe('the pages', { timeout: 60_000 }, () => {
  it.each(pages())('%s leads nowhere but to pages and headings that exist', (page) => {
    const broken = linksOf(page).filter(({ path, fragment }) => {
      if (!existsSync(path)) return true
      return fragment !== '' && !fragmentsOf(path).includes(fragment)
    })
    expect(broken).toEqual([])
  })

  it('mark every block of code with its language', () => {
    const kinds = new Set(blocks.map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual(['json', 'sh', 'sql', 'text', 'ts', 'ts run'])
  })

  it('have TypeScript in them that the compiler finds nothing wrong with', () => {
    const typed = blocks.filter(({ kind }) => kind.startsWith('ts'))
    const modules = typed.map(
      ({ place, text }) => [`${place.replace(/[/:]/g, '-')}.ts`, text] as const,
    )
    expect(faultsIn(new Map(modules))).toEqual([])
  })

  it.each(blocks.filter(({ kind }) => kind === 'ts run'))('$place runs', async ({ text }) => {
    const { code, stderr } = await runText(text)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('docs/errors.md', () => {
  const rows = [...textOf('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d+) \| `(\w+)` \|/gm)]

  it('has every code with its status', () => {
    const statuses = Object.fromEntries(rows.map(([, code, status]) => [code, Number(status)]))
    expect(statuses).toEqual(errorStatuses)
  })

  it('has every class, and none that is not there', () => {
    const { VaultError: _, ...others } = errors
    const classes = Object.keys(others).filter(
      (name) => name.endsWith('Error') && /^[A-Z]/.test(name),
    )
    expect([...new Set(rows.map(([, , , name]) => name))].sort()).toEqual(classes.sort())
  })

  it.each([
    ['INVALID_INPUT', new errors.InvalidInputError([{ path: 'a', message: 'b' }])],
    ['UNAUTHORIZED', new errors.UnauthorizedError()],
    ['FORBIDDEN', new errors.ForbiddenError('v')],
    ['NOT_FOUND', new errors.NotFoundError('item', 'i')],
    ['CONFLICT', new errors.ConflictError('c')],
    ['PRECONDITION_FAILED', new errors.PreconditionFailedError('i')],
    ['CONTENT_TOO_LARGE', new errors.ContentTooLargeError('c')],
    ['STORAGE_FAILED', new errors.StorageError('s')],
    ['STORAGE_UNAVAILABLE', new errors.StorageError('s', { code: 'STORAGE_UNAVAILABLE' })],
    ['DECRYPTION_FAILED', new errors.DecryptionError()],
    ['GENERATION_FAILED', new errors.GenerationError()],
    ['ROUTE_NOT_FOUND', new errors.HttpError('ROUTE_NOT_FOUND', 'r')],
  ])('names the class of %s', (code, error) => {
    const row = rows.find(([, name]) => name === code)
    expect([error.code, error.name]).toEqual([row?.[1], row?.[3]])
  })
})

describe('docs/http-api.md', () => {
  it('is what npm run docs:http writes', () => {
    expect(textOf('docs/http-api.md')).toBe(httpApiPage())
  })
})

describe('docs/contract.md', () => {
  it('has the defaults of the limits', () => {
    const page = textOf('docs/contract.md')
    for (const limit of ['1,000, 100, 100, 100', '65,536', '256', '1,048,576', '30,000'])
      expect(page).toContain(`| ${limit} |`)
  })
})
