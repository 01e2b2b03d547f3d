import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { contentsOf, fill } from '../support/command/filled-store.js'
import { runCommand, startServe, withFolder } from '../support/command/run-command.js'

describe('export', () => {
  it.each([[], ['--passphrase-file', 'pass'], ['--recipient', 'RECIPIENT']])(
    'writes lines that import reads again: %s %s',
    (...flags) =>
      withFolder(async (folder) => {
        await fill(join(folder, 'cofferkit.db'))
        const identity = await generateIdentity()
        const recipient = await identityToRecipient(identity)
        writeFileSync(join(folder, 'pass'), 'correct horse\n')
        writeFileSync(join(folder, 'identity'), `# a comment\n${identity}\n`)
        const exportFlags = flags.map((flag) => (flag === 'RECIPIENT' ? recipient : flag))
        const exported = await runCommand({ folder }, 'export', 'out', ...exportFlags)
        expect(exported).toEqual({
          code: 0,
          stdout: '',
          stderr: 'Exported 2 vaults, 3 items and 2 files.\n',
        })
        expect(statSync(join(folder, 'out')).mode & 0o777).toBe(0o600)
        const text = readFileSync(join(folder, 'out'), 'latin1')
        expect(text.includes('s3cret')).toBe(flags.length === 0)

        const importFlags =
          flags[0] === '--recipient' ? ['--identity-file', 'identity'] : [...flags]
        const to = ['--store', 'sqlite:new.db', ...importFlags]
        const imported = await runCommand({ folder }, 'import', 'out', ...to)
        expect(imported).toEqual({
          code: 0,
          stdout: expect.stringMatching(
            /^Imported 2 vaults, 3 items and 2 files into a new SQLite file new\.db \(plaintext\)\.\nThe ids of items and files are new; ids of vaults that were chosen are the same\.\nThe vault \w+ is now \w+\.\n$/,
          ),
          stderr: '',
        })
        const [, made = '', derived = ''] = /vault (\w+) is now (\w+)/.exec(imported.stdout) ?? []
        const source = JSON.stringify(await contentsOf(join(folder, 'cofferkit.db')))
        expect(JSON.stringify(await contentsOf(join(folder, 'new.db')))).toBe(
          source.replace(made, derived),
        )
      }),
  )

  it('writes lines that import can check without writing, and imports once', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      await runCommand({ folder }, 'export', 'out')
      const to = ['--store', 'sqlite:new.db']
      const dryRun = await runCommand({ folder }, 'import', 'out', ...to, '--dry-run')
      expect(dryRun).toEqual({
        code: 0,
        stdout:
          '2 vaults can be imported into a new SQLite file new.db (plaintext). Nothing was written.\n',
        stderr: '',
      })
      expect(existsSync(join(folder, 'new.db'))).toBe(false)
      expect(await runCommand({ folder }, 'import', 'out', ...to)).toMatchObject({ code: 0 })
      for (const store of [[], to])
        expect(await runCommand({ folder }, 'import', 'out', ...store)).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/already exist in the store: /),
        })
    }))

  it('fails at a damaged item, or leaves it out with --skip-unreadable', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      const database = new DatabaseSync(join(folder, 'cofferkit.db'))
      const where = "collection like 'items/%' order by collection, id limit 1"
      const row = database
        .prepare(`select collection, id, body from cofferkit_records where ${where}`)
        .get()
      const { collection, id, body } = Object(row)
      const damaged = Buffer.from(body)
      damaged[damaged.length - 1] = 0
      const update = 'update cofferkit_records set body = ? where collection = ? and id = ?'
      database.prepare(update).run(damaged, collection, id)
      database.close()
      const failed = await runCommand({ folder }, 'export', 'out')
      expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining(`item ${id} `) })
      expect(existsSync(join(folder, 'out'))).toBe(false)
      const exported = await runCommand({ folder }, 'export', 'out', '--skip-unreadable')
      expect(exported.code).toBe(0)
      expect(exported.stderr).toMatch(/^Exported 2 vaults, 2 items and \d files?\.\n/)
      expect(exported.stderr).toContain(`Left out: item ${id} cannot be read`)
    }))

  it('fails at a damaged file, or leaves it out with --skip-unreadable', () =>
    withFolder(async (folder) => {
      await runCommand({ folder }, 'keygen', 'vault.key')
      const encrypted = ['--encrypt', 'vault.key']
      await fill(join(folder, 'plain.db'))
      const copied = ['--from', 'sqlite:plain.db', '--to', 'sqlite:cofferkit.db']
      const copy = await runCommand({ folder }, 'copy', ...copied, '--to-encrypt', 'vault.key')
      expect(copy.code).toBe(0)
      const database = new DatabaseSync(join(folder, 'cofferkit.db'))
      const { row, bytes } = Object(
        database.prepare('select rowid as row, bytes from cofferkit_chunks limit 1').get(),
      )
      const damaged = Buffer.from(bytes)
      damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
      database.prepare('update cofferkit_chunks set bytes = ? where rowid = ?').run(damaged, row)
      database.close()
      const failed = await runCommand({ folder }, 'export', 'out', ...encrypted)
      expect(failed.code).toBe(2)
      expect(existsSync(join(folder, 'out'))).toBe(false)
      const skip = '--skip-unreadable'
      const exported = await runCommand({ folder }, 'export', 'out', ...encrypted, skip)
      expect(exported).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(
          /^Exported 2 vaults, 3 items and 1 file\.\nLeft out: file [\w-]{36} of item \w{26} cannot be read\.\n$/,
        ),
      })
      const to = ['--store', 'sqlite:new.db']
      const imported = await runCommand({ folder }, 'import', 'out', ...to)
      expect(imported).toMatchObject({ code: 0 })
    }))

  it('keeps an existing file when the store fails at once', () =>
    withFolder(async (folder) => {
      const fail = "async () => { throw new Error('down') }"
      const store = `{ records: { get: f, put: f, delete: f, list: f }, blobs: { read: f, write: f, delete: f } }`
      writeFileSync(join(folder, 'store.mjs'), `const f = ${fail}\nexport default ${store}\n`)
      writeFileSync(join(folder, 'backup.jsonl'), 'precious')
      const failed = await runCommand(
        { folder },
        'export',
        '--store',
        './store.mjs',
        'backup.jsonl',
      )
      expect(failed.code).toBe(2)
      expect(readFileSync(join(folder, 'backup.jsonl'), 'utf8')).toBe('precious')
    }))

  it('writes to the standard output, and never overwrites a file', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      const printed = await runCommand({ folder }, 'export')
      expect(printed.code).toBe(0)
      const lines = printed.stdout.trimEnd().split('\n')
      expect(JSON.parse(lines[0] ?? '')).toEqual({ format: 'cofferkit-export', version: 1 })
      expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ end: { vaults: 2, items: 3, files: 2 } })
      writeFileSync(join(folder, 'out'), 'mine')
      const refused = await runCommand({ folder }, 'export', 'out')
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/already exists/) })
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('mine')
    }))

  it('ends with 2 when a flag is wrong', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      writeFileSync(join(folder, 'empty'), '\n')
      for (const [flags, message] of [
        [['--recipient', 's3cret'], /^error: --recipient must be a public key of age/],
        [['--passphrase-file', 'none'], /^error: none does not exist\n/],
        [['--passphrase-file', 'empty'], /^error: empty is empty\n/],
        [['--recipient', 'a', '--passphrase-file', 'b'], /exclude each other/],
      ] as const) {
        const { code, stderr } = await runCommand({ folder }, 'export', 'out', ...flags)
        expect(code).toBe(2)
        expect(stderr).toMatch(message)
        expect(stderr).not.toMatch(/s3cret|^ +at /m)
      }
    }))
})

describe('export --from-connect', () => {
  it('writes what a Connect server has, and import reads it again with the files', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'source.db'))
      const served = await startServe({ folder }, '--store', 'sqlite:source.db', '--no-extensions')
      const env = { OP_CONNECT_TOKEN: served.state.token }
      const { origin } = served.state
      const exported = await runCommand({ folder, env }, 'export', '--from-connect', origin, 'out')
      const wrong = await runCommand(
        { folder, env: { OP_CONNECT_TOKEN: 's3cret' } },
        ...['export', '--from-connect', origin, 'wrong'],
      )
      await served.stop()
      expect(exported).toEqual({
        code: 0,
        stdout: '',
        stderr: 'Exported 2 vaults, 3 items and 2 files.\n',
      })
      expect(wrong).toMatchObject({ code: 2, stdout: '' })
      expect(wrong.stderr).toMatch(/^error: \S+ rejects the token\n/)
      expect(existsSync(join(folder, 'wrong'))).toBe(false)
      const to = ['--store', 'sqlite:new.db']
      const imported = await runCommand({ folder }, 'import', 'out', ...to)
      const [, made = '', derived = ''] = /vault (\w+) is now (\w+)/.exec(imported.stdout) ?? []
      const source = JSON.stringify(await contentsOf(join(folder, 'source.db')))
      const found = JSON.stringify(await contentsOf(join(folder, 'new.db')))
      expect(found).toBe(source.replace(made, derived))
    }))

  it.each([
    [['--from-connect', 'http://127.0.0.1:2'], {}, 'OP_CONNECT_TOKEN is not set\n'],
    [['--from-connect', 's3cret'], { OP_CONNECT_TOKEN: 'a' }, '--from-connect must be a URL'],
    [
      ['--from-connect', 'http://127.0.0.1:2', '--store', 'memory'],
      { OP_CONNECT_TOKEN: 'a' },
      '--from-connect and the flags of a store exclude each other\n',
    ],
    [['--from-connect', 'http://127.0.0.1:2'], { OP_CONNECT_TOKEN: 'a' }, 'http://127.0.0.1:2: c'],
  ])('rejects %j', (flags, env, message) =>
    withFolder(async (folder) => {
      const { code, stderr } = await runCommand({ folder, env }, 'export', 'out', ...flags)
      expect(code).toBe(2)
      expect(stderr.startsWith(`error: ${message}`), stderr).toBe(true)
      expect(stderr).not.toContain('s3cret')
      expect(existsSync(join(folder, 'out'))).toBe(false)
    }),
  )
})
