import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { createCaller, createVaultService } from 'cofferkit'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/command/command-error.js'
import { readLines } from '../../src/command/data/read-lines.js'
import { commandText, runCommand, withFolder } from '../support/command/run-command.js'

/** The program that runs a command on a terminal, of util-linux. */
const hasTerminal = spawnSync('script', ['--version']).status === 0
const caller = createCaller('tester', '*')
const largeBytes = Uint8Array.from({ length: 2_000_003 }, (_, index) => (index * 31) % 251)

describe('seed', { timeout: 60_000 }, () => {
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
    ['import', '--from', 'auto', 'in.csv'],
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

describe.skipIf(!hasTerminal)('withProgress', { timeout: 60_000 }, () => {
  it.each([
    [80, true],
    [0, false],
  ])('shows progress on a terminal of %i columns: %s', (columns, isShown) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), '{"vaults":[{"name":"Team"}]}')
      const line = commandText('seed', 'seed.json')
      const shell = `stty cols ${columns}; ${line}`
      const flags = ['-qec', shell, '/dev/null']
      const { stdout, status } = spawnSync('script', flags, { cwd: folder, encoding: 'utf8' })
      expect(status).toBe(0)
      expect(stdout.includes('Creating vaults')).toBe(isShown)
      expect(stdout).toMatch(/[\da-z]{26} {2}0 items\r\nCreated 1 vault and 0 items in /)
    }),
  )
})

describe('export', { timeout: 60_000 }, () => {
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
        const dryRun = await runCommand({ folder }, 'import', 'out', ...to, '--dry-run')
        expect(dryRun).toEqual({
          code: 0,
          stdout:
            '2 vaults can be imported into a new SQLite file new.db (plaintext). Nothing was written.\n',
          stderr: '',
        })
        expect(existsSync(join(folder, 'new.db'))).toBe(false)
        const imported = await runCommand({ folder }, 'import', 'out', ...to)
        expect(imported).toEqual({
          code: 0,
          stdout:
            'Imported 2 vaults, 3 items and 2 files into a new SQLite file new.db (plaintext).\n' +
            'The ids of items and files are new; those of vaults were kept.\n',
          stderr: '',
        })
        expect(await contentsOf(join(folder, 'new.db'))).toEqual(
          await contentsOf(join(folder, 'cofferkit.db')),
        )
        const again = await runCommand({ folder }, 'import', 'out', ...to)
        expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/already: /) })
      }),
  )

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
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/exists already/) })
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

describe('import', { timeout: 60_000 }, () => {
  const begin = '{"format":"cofferkit-export","version":1}\n'
  const vault = `{"vault":{"id":"${'a'.repeat(26)}","name":"s3cret"}}\n`
  const item = '{"item":{"category":"LOGIN"}}\n'
  const end = '{"end":{"vaults":0,"items":0,"files":0}}\n'
  const file = `${begin}${vault}${item}{"file":{"name":"s3cret","size":2}}\n`
  it.each([
    ['', /the file is incomplete/],
    ['s3cret\n', /not a file of export\nIf it is encrypted/],
    ['{}\n', /not a file of export/],
    ['{"format":"cofferkit-export","version":2}\n', /written by a newer version/],
    [begin, /the file is incomplete/],
    [begin + vault, /the file is incomplete/],
    [`${begin}s3cret\n${end}`, /line 2: is not JSON/],
    [`${begin}${item}${end}`, /line 2: is not expected here/],
    [`${begin}${vault}{"file":{"name":"a"}}\n${end}`, /line 3: is not expected here/],
    [`${begin}${vault}${item}{"part":"AA=="}\n${end}`, /line 4: is not expected here/],
    [`${begin}${vault}{"s3cret":{}}\n${end}`, /line 3: is not expected here/],
    [`${begin}${vault}{"item":7}\n${end}`, /line 3: is invalid/],
    [`${begin}{"vault":{"id":"s3cret","name":"a"}}\n${end}`, /line 2: Invalid Vault UUID/],
    [`${begin}${vault}${vault}${end}`, /line 3: vault a{26} already exists/],
    [`${begin}${end}${vault}`, /line 3: must not follow the last line/],
    [`${begin}${vault}${end}`, /line 3: has counts that do not match the lines before it/],
    [`${begin}{"end":{"vaults":"s3cret"}}\n`, /line 2: has counts that do not match/],
    [`${begin}${vault}${item}{"file":{"name":"a"}}\n${end}`, /line 4: is invalid/],
    [`${file}${end}`, /line 5: the file before it is incomplete/],
    [`${file}{"part":"AA=="}\n${item}${end}`, /line 6: the file before it is incomplete/],
    [`${file}{"part":"AAAA"}\n${end}`, /line 5: has more bytes than its file/],
    [`${file}{"part":"s3cre"}\n${end}`, /line 5: is invalid/],
    [`${file}{"part":""}\n{"part":"AAA="}\n${end}`, /line 5: is invalid/],
    [
      `${begin}${vault}{"item":{"category":"s3cret"}}\n{"end":{"vaults":1,"items":1,"files":0}}\n`,
      /line 3: Invalid item category/,
    ],
  ])('ends with 2 and names the line: %j', (text, message) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'in'), text)
      const { code, stderr } = await runCommand({ folder }, 'import', 'in', '--store', 'memory')
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr).not.toMatch(/s3cret|^ +at /m)
    }),
  )

  it('writes nothing when a later item is invalid', () =>
    withFolder(async (folder) => {
      const invalid = '{"item":{"category":"LOGIN","title":5}}\n'
      const numbers = '{"end":{"vaults":1,"items":2,"files":0}}\n'
      writeFileSync(join(folder, 'in'), begin + vault + item + invalid + numbers)
      for (const flags of [['--dry-run'], []]) {
        const { code, stderr } = await runCommand({ folder }, 'import', 'in', ...flags)
        expect(code).toBe(2)
        expect(stderr).toMatch(/line 4: title must be a string/)
        expect(existsSync(join(folder, 'cofferkit.db'))).toBe(false)
      }
    }))

  it('writes nothing when any line is missing or repeated', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      await runCommand({ folder }, 'export', 'out')
      const lines = readFileSync(join(folder, 'out'), 'utf8').trimEnd().split('\n')
      for (const [index, line] of lines.entries()) {
        for (const changed of [lines.toSpliced(index, 1), lines.toSpliced(index, 0, line)]) {
          await expect(readAll(changed)).rejects.toThrow(CommandError)
        }
      }
      const items = lines.filter((line) => line.startsWith('{"item"'))
      expect(items).toHaveLength(3)
      const without = lines.filter((line) => line !== items[0])
      writeFileSync(join(folder, 'changed'), `${without.join('\n')}\n`)
      const flags = ['--store', 'sqlite:new.db']
      expect(await runCommand({ folder }, 'import', 'changed', ...flags)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^error: line \d+: /),
      })
      expect(() => statSync(join(folder, 'new.db'))).toThrow()
    }))

  it('writes nothing when an encrypted file was changed', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'cofferkit.db'))
      writeFileSync(join(folder, 'pass'), 'correct horse')
      await runCommand({ folder }, 'export', 'out', '--passphrase-file', 'pass')
      const bytes = readFileSync(join(folder, 'out'))
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
      writeFileSync(join(folder, 'changed'), bytes)
      const flags = ['--store', 'sqlite:new.db', '--passphrase-file', 'pass']
      const changed = await runCommand({ folder }, 'import', 'changed', ...flags)
      expect(changed).toMatchObject({ code: 2, stdout: '' })
      expect(changed.stderr).toMatch(
        /^error: changed cannot be decrypted: it was changed or is incomplete\n/,
      )
      writeFileSync(join(folder, 'pass'), 'wrong')
      const wrong = await runCommand({ folder }, 'import', 'out', ...flags)
      expect(wrong).toMatchObject({ code: 2, stdout: '' })
      expect(wrong.stderr).toMatch(/^error: the file cannot be decrypted: wrong key/)
      expect(() => statSync(join(folder, 'new.db'))).toThrow()
      const plain = await runCommand({ folder }, 'import', '.')
      expect(plain).toMatchObject({ code: 2, stderr: 'error: . cannot be read: EISDIR\n' })
    }))
})

describe('import --from', { timeout: 60_000 }, () => {
  it('imports an export once, and prints what was lost', () =>
    withFolder(async (folder) => {
      const rows = [
        'name,url,username,password,note,extra',
        'Mail,https://a.example,wendy,s3cret,,x',
      ]
      writeFileSync(join(folder, 'in.csv'), `${rows.join('\n')}\n`)
      const flags = ['import', '--from', 'auto', '--vault', 'Team', 'in.csv']
      const dryRun = await runCommand({ folder }, ...flags, '--dry-run')
      expect(dryRun).toMatchObject({ code: 0, stderr: '' })
      const store = 'SQLite file cofferkit.db (plaintext)'
      expect(dryRun.stdout).toContain(`Would create 1 item and 0 files in a new ${store}; `)
      expect(existsSync(join(folder, 'cofferkit.db'))).toBe(false)
      const first = await runCommand({ folder }, ...flags)
      expect(first.stdout).toContain(`Created 1 item and 0 files in a new ${store}; 0 completed, `)
      const second = await runCommand({ folder }, ...flags)
      expect(second.stdout).toContain(`Created 0 items and 0 files in ${store}; 0 completed, 1 un`)
      const read = await runCommand({ folder }, 'read', 'op://Team/Mail/password')
      expect(read.stdout).toBe('s3cret\n')
      expect(dryRun.stdout + first.stdout + second.stdout).not.toContain('s3cret')
    }))

  it('names the title of the item that has lost something, without its values', () =>
    withFolder(async (folder) => {
      const login = { username: 'wendy', password: 's3cret' }
      const item = { id: 'a', type: 1, name: 'Router\u001b', reprompt: 1, login }
      const named = { encrypted: false, folders: [], items: [item] }
      writeFileSync(join(folder, 'bw.json'), JSON.stringify(named))
      const { stdout } = await runCommand({ folder }, 'import', '--from', 'bitwarden', 'bw.json')
      expect(stdout).toMatch(/^lost {2}\S+ {2}items\/0 "Router\?"\/reprompt {2}/m)
      expect(stdout).not.toContain('s3cret')
    }))

  it('is proposed for a file that export has not written', () =>
    withFolder(async (folder) => {
      for (const text of ['{"encrypted":false,"items":[]}', '{\n  "items": []\n}', 'name,url\n']) {
        writeFileSync(join(folder, 'bw.json'), text)
        const { code, stderr } = await runCommand({ folder }, 'import', 'bw.json')
        expect(code).toBe(2)
        expect(stderr).toMatch(/^error: not a file of export\n.* pass --from auto\.$/m)
      }
      const missing = await runCommand({ folder }, 'import', 'none.json')
      expect(missing).toMatchObject({ code: 2, stderr: 'error: none.json does not exist\n' })
    }))

  it('ends with 2 when the format is not recognized', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'in'), 's3cret')
      const { code, stderr } = await runCommand({ folder }, 'import', '--from', 'auto', 'in')
      expect(code).toBe(2)
      expect(stderr).not.toMatch(/s3cret|^ +at /m)
    }))
})

/** Writes a seed, an export and a CSV file. */
function writeInputs(folder: string): void {
  writeFileSync(join(folder, 'seed.json'), '{"vaults":[{"name":"Team"}]}')
  writeFileSync(join(folder, 'in.csv'), 'name,url,username,password\nMail,https://a.example,w,p\n')
  const begin = '{"format":"cofferkit-export","version":1}'
  writeFileSync(join(folder, 'in.jsonl'), `${begin}\n{"end":{"vaults":0,"items":0,"files":0}}\n`)
}

/** Fills a store with two vaults, an archived item, a large and an empty file. */
async function fill(path: string): Promise<void> {
  const store = await openSqliteStore(path)
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'Team', description: 'Ours' })
  await service.createVault(caller, { name: 'Empty' })
  const { id: itemId } = await service.createItem(caller, {
    vaultId,
    item: {
      category: 'LOGIN',
      title: 'Line\u2028break "ü" 🔑',
      tags: ['a'],
      sections: [{ id: 'more', label: 'More' }],
      fields: [
        { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 's3cret' },
        { id: 'notes', purpose: 'NOTES' },
      ],
    },
  })
  const ref = { vaultId, itemId }
  await service.attachFile(caller, { ...ref, name: 'l', content: largeBytes, sectionId: 'more' })
  await service.attachFile(caller, { ...ref, name: 'e', content: new Uint8Array() })
  await service.createItem(caller, { vaultId, item: { category: 'SECURE_NOTE', title: 'Note' } })
  const item = { category: 'SECURE_NOTE', title: 'Old' } as const
  const archived = await service.createItem(caller, { vaultId, item })
  await service.setItemState(caller, { vaultId, itemId: archived.id, state: 'ARCHIVED' })
  await store.close()
}

/** Reads an export that has these lines to its end. */
async function readAll(lines: readonly string[]): Promise<void> {
  const text = Buffer.from(`${lines.join('\n')}\n`)
  for await (const _ of readLines(Readable.from([text])));
}

/** Everything in a store that an export keeps, in the order of titles. */
async function contentsOf(path: string): Promise<unknown> {
  const store = await openSqliteStore(path)
  const service = createVaultService({ store })
  const contents: unknown[] = []
  for (const { id: vaultId, name, description } of await service.listVaults(caller, {})) {
    contents.push({ vaultId, name, description })
    const items: [string, unknown][] = []
    for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
      const item = await service.getItem(caller, { vaultId, itemId })
      const { title, category, tags, sections, fields, state, files } = item
      const read = files.map(async ({ id: fileId, name, section }) => {
        const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
        const bytes = Buffer.from(await new Response(content).arrayBuffer())
        return { name, section, bytes: bytes.toString('base64') }
      })
      const attributes = { category, tags, sections, fields, state }
      items.push([String(title), { ...attributes, files: await Promise.all(read) }])
    }
    contents.push(items.sort(([left], [right]) => (left < right ? -1 : 1)))
  }
  await store.close()
  return contents
}
