import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPage } from '../support/source/pages.js'

const maxStatements = 3

/** The statements of an example that mount the vault behind its login, without imports. */
const mounts = globSync('examples/login-*.ts')
  .sort()
  .map((path) => {
    const text = readFileSync(path, 'utf8')
    const [, code = ''] = /^\/\/ The vault behind the login\.\n(.*?)\n\n/ms.exec(text) ?? []
    return {
      name: path.replace(/^examples\/login-|\.ts$/g, ''),
      path,
      text,
      code,
      statements: code.split(/\n(?=\w)/),
    }
  })

describe('logins of the examples', () => {
  it('have a vault behind them in at most 3 statements', () => {
    const counts = mounts.map(({ name, statements }) => `${name} ${statements.length}`)
    process.stdout.write(
      `   Statements to mount behind each login (at most ${maxStatements}): ${counts.join(', ')}\n`,
    )
    expect(mounts).toHaveLength(7)
    for (const { code, statements } of mounts) {
      expect(statements.length).toBeLessThanOrEqual(maxStatements)
      expect(code).toMatch(/\bfrom(?:Express|Fastify|Hono|Koa)\(/)
      expect(code).toMatch(/\bcreateHttpHandler\(service, /)
      expect(statements.at(-1)).toMatch(/^app\.\w+\([\s\S]*create(?:Express|Fastify|Hono|Koa)\w+\(/)
    }
  })

  it('use the vault in these statements alone', () => {
    for (const { text, code } of mounts) {
      const others = text.replace(code, '').replace(/^import [^']*'.*'$/gm, '')
      expect(others).not.toMatch(/\bservice\b|createHttpHandler|authenticate:/)
    }
  })

  it('are in the table of docs/authentication.md, with their function', () => {
    const rows = readPage('docs/authentication.md').matchAll(
      /^\| .*\(\.\.\/(examples\/login-[\w-]+\.ts)\).* \| `(.*)` \|$/gm,
    )
    const listed = [...rows].map(([, path, code = '']) => ({ path, code }))
    expect(listed.map(({ path }) => path).sort()).toEqual(mounts.map(({ path }) => path))
    for (const { path, code } of mounts) {
      const row = listed.find((each) => each.path === path)
      expect(withoutBreaks(code)).toContain(withoutBreaks(row?.code ?? path))
    }
  })
})

/** Returns code without the spaces and commas that depend on how lines are broken. */
function withoutBreaks(code: string): string {
  return code.replaceAll(/\s+|,(?=\s*\))/g, '')
}
