import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPage } from '../support/source/pages.js'

const maxLines = 3

/** The lines of an example that mount the vault behind its login, without imports. */
const mounts = globSync('examples/login-*.ts')
  .sort()
  .map((path) => {
    const text = readFileSync(path, 'utf8')
    const [, lines = ''] = /^\/\/ The vault behind the login\.\n(.*?)\n\n/ms.exec(text) ?? []
    return {
      name: path.replace(/^examples\/login-|\.ts$/g, ''),
      path,
      text,
      lines: lines.split('\n'),
    }
  })

describe('logins of the examples', () => {
  it('have a vault behind them in at most 3 lines', () => {
    const counts = mounts.map(({ name, lines }) => `${name} ${lines.length}`)
    process.stdout.write(
      `   Lines of code to mount behind each login (at most ${maxLines}): ${counts.join(', ')}\n`,
    )
    expect(mounts).toHaveLength(7)
    for (const { lines } of mounts) {
      expect(lines.length).toBeLessThanOrEqual(maxLines)
      expect(lines.join('\n')).toMatch(/\bfrom(?:Express|Fastify|Hono|Koa)\(/)
      expect(lines.join('\n')).toMatch(/\bcreateHttpHandler\(service, /)
      expect(lines.at(-1)).toMatch(/^app\.\w+\(.*create(?:Express|Fastify|Hono|Koa)\w+\(/)
    }
  })

  it('use the vault in these lines alone', () => {
    for (const { text, lines } of mounts) {
      const others = text.replace(lines.join('\n'), '').replace(/^import .*$/gm, '')
      expect(others).not.toMatch(/\bservice\b|createHttpHandler|authenticate:/)
    }
  })

  it('are in the table of docs/authentication.md, with their lines and their function', () => {
    const rows = readPage('docs/authentication.md').matchAll(
      /^\| .*\(\.\.\/(examples\/login-[\w-]+\.ts)\).* \| `(.*)` \| (\d) \|$/gm,
    )
    const listed = [...rows].map(([, path, code = '', count]) => ({
      path,
      code,
      count: Number(count),
    }))
    expect(listed.map(({ path }) => path).sort()).toEqual(mounts.map(({ path }) => path))
    for (const { path, lines } of mounts) {
      const row = listed.find((each) => each.path === path)
      expect(row?.count).toBe(lines.length)
      expect(lines.join('\n')).toContain(row?.code)
    }
  })
})
