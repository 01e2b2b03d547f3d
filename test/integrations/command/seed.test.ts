import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

describe('seed', () => {
  it('adds vaults to a store, and rejects a vault that exists', () =>
    withFolder(async (folder) => {
      const vault = { name: 'Team', id: 'a'.repeat(26), items: [{ category: 'LOGIN' }] }
      writeFileSync(join(folder, 'seed.json'), JSON.stringify({ vaults: [vault] }))
      const first = await runCommand({ folder }, 'seed', 'seed.json')
      expect(first).toEqual({
        code: 0,
        stdout: `${'a'.repeat(26)}  1 item\n`,
        stderr: 'Created 1 vault and 1 item in a new SQLite file cofferkit.db (plaintext).\n',
      })
      const second = await runCommand({ folder }, 'seed', 'seed.json')
      expect(second).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: seed\.json: .* already exists\n$/),
      })
      writeFileSync(join(folder, 'more.json'), '{"vaults":[{"name":"More"}]}')
      const more = await runCommand({ folder }, 'seed', 'more.json')
      expect(more.stderr).toBe(
        'Created 1 vault and 0 items in SQLite file cofferkit.db (plaintext).\n',
      )
    }))

  it('ends with 2 and names the file when it is no seed, without its content', () =>
    withFolder(async (folder) => {
      for (const [text, message] of [
        ['{\n  "vaults": s3cret\n}', 'seed.json is not JSON: line 2, column 13'],
        ['{"vaults":[{"name":7}]}', 'seed.json: vaults/0/name must be a string'],
        [
          '{"vaults":[{"name":"a","items":[{"category":"s3cret"}]}]}',
          'seed.json: vaults/0/items/0/category must be one of ',
        ],
      ] as const) {
        writeFileSync(join(folder, 'seed.json'), text)
        const { code, stderr } = await runCommand({ folder }, 'seed', 'seed.json')
        expect(code).toBe(2)
        expect(stderr).toContain(`error: ${message}`)
        expect(stderr).not.toContain('s3cret')
      }
    }))

  it.each([
    ['seed', 'seed.json'],
    ['import', 'in.jsonl'],
    ['import', '--dry-run', 'in.jsonl'],
    ['import', '--from', 'auto', 'in.json'],
  ])('creates no store while OP_CONNECT_HOST is set: %s %s %s %s', (...parameters) =>
    withFolder(async (folder) => {
      writeInputs(folder)
      const env = { OP_CONNECT_HOST: 'http://127.0.0.1:9', OP_CONNECT_TOKEN: 'a' }
      const refused = await runCommand({ folder, env }, ...parameters.filter(Boolean))
      expect(refused).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toMatch(/not to the server of OP_CONNECT_HOST.*\nPass --store: /)
      expect(existsSync(join(folder, 'cofferkit.db'))).toBe(false)
      const named = { ...env, COFFERKIT_STORE: 'sqlite:mine.db' }
      const accepted = await runCommand({ folder, env: named }, ...parameters.filter(Boolean))
      expect(accepted.code).toBe(0)
    }),
  )
})

/** Writes a seed, an export, and an export of Bitwarden. */
function writeInputs(folder: string): void {
  writeFileSync(join(folder, 'seed.json'), '{"vaults":[{"name":"Team"}]}')
  const passwords = { encrypted: false, items: [{ id: 'a', type: 2, name: 'Note' }] }
  writeFileSync(join(folder, 'in.json'), JSON.stringify(passwords))
  const begin = '{"format":"cofferkit-export","version":1}'
  writeFileSync(join(folder, 'in.jsonl'), `${begin}\n{"end":{"vaults":0,"items":0,"files":0}}\n`)
}
