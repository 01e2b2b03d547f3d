import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Encrypter } from 'age-encryption'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../../src/command/command-error.js'
import { readLines } from '../../../src/command/import/read-lines.js'
import { listRefusedFiles } from '../../support/refused-files.js'
import { writeZip } from '../../support/zip-files.js'
import { fill } from '../support/command/filled-store.js'
import { runCommand, withFolder } from '../support/command/run-command.js'

describe('import', () => {
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
    [`${begin}{"vault":{"id":"s3cret","name":"a"}}\n${end}`, /line 2: vaultId must be an id/],
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
      await runCommand({ folder }, 'export', 'plain')
      const encrypter = new Encrypter()
      encrypter.setPassphrase('correct horse')
      // What `export` chooses takes a second.
      encrypter.setScryptWorkFactor(10)
      const bytes = Buffer.from(await encrypter.encrypt(readFileSync(join(folder, 'plain'))))
      writeFileSync(join(folder, 'out'), bytes)
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

describe('import --from', () => {
  it('imports an export once, and prints what was lost', () =>
    withFolder(async (folder) => {
      const login = { username: 'wendy', password: 's3cret' }
      const items = [{ id: 'a', type: 1, name: 'Mail', extra: 'x', login }]
      writeFileSync(join(folder, 'in.json'), JSON.stringify({ encrypted: false, items }))
      const flags = ['import', '--from', 'auto', '--into', 'Team', 'in.json']
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

  it('makes a vault for each vault of an export, once, or one with --into', () =>
    withFolder(async (folder) => {
      const toItem = (uuid: string) => ({ uuid, categoryUuid: '001', overview: { title: uuid } })
      const toVault = (uuid: string, name: string, ...items: object[]) => ({
        attrs: { uuid, name },
        items,
      })
      const vaults = [
        toVault('uuid-1', 'Home', toItem('mail'), toItem('bank')),
        toVault('uuid-2', 'Work', toItem('deploy')),
        toVault('uuid-3', 'Empty'),
      ]
      const content = Buffer.from(JSON.stringify({ accounts: [{ vaults }] }))
      writeFileSync(join(folder, 'a.1pux'), writeZip([{ name: 'export.data', content }]))
      const flags = ['import', '--from', 'auto', 'a.1pux']
      const dryRun = await runCommand({ folder }, ...flags, '--dry-run')
      expect(dryRun.stdout).toMatch(/^new vault {2}Home {2}2 items\nnew vault {2}Work {2}1 item$/m)
      expect(existsSync(join(folder, 'cofferkit.db'))).toBe(false)
      const first = await runCommand({ folder }, ...flags)
      expect(first.stdout).toContain('Created 3 items and 0 files in ')
      const list = /^[a-z2-7]{26} {2}Home {2}2 items\n[a-z2-7]{26} {2}Work {2}1 item$/m
      expect(first.stdout).toMatch(list)
      const second = await runCommand({ folder }, ...flags)
      expect(second.stdout).toContain('Created 0 items and 0 files in ')
      expect(list.exec(second.stdout)?.[0]).toBe(list.exec(first.stdout)?.[0])
      const into = await runCommand({ folder }, ...flags, '--into', 'All')
      expect(into.stdout).toMatch(/^[a-z\d]{26} {2}All {2}3 items$/m)
      const exported = await runCommand({ folder }, 'export')
      const lines = exported.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      const names = lines.flatMap(({ vault }) => (vault === undefined ? [] : [vault.name]))
      expect(names.sort()).toEqual(['All', 'Home', 'Work'])
      const tags = lines.flatMap(({ item }) => (item === undefined ? [] : [item.tags]))
      const sorted = tags.map((one) => one.join()).sort()
      expect(sorted).toEqual(['', '', '', 'Home', 'Home', 'Work'])
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

  it.each(listRefusedFiles())('ends with 2 and creates nothing for $file', ({ bytes, message }) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'in'), bytes)
      for (const format of ['auto', 'bitwarden', '1pux']) {
        const refused = await runCommand({ folder }, 'import', '--from', format, 'in')
        expect(refused).toMatchObject({ code: 2, stdout: '' })
        expect(refused.stderr.replace(/^error: |\n$/g, '')).toMatch(message)
        expect(refused.stderr).not.toContain('SWORDFISH')
      }
      expect(readdirSync(folder)).toEqual(['in'])
    }),
  )

  it('ends with 2 and creates nothing when nothing in the export can be imported', () =>
    withFolder(async (folder) => {
      const items = [{ id: 'a', type: 1, name: 'Mail', deletedDate: '2026-01-02T03:04:05Z' }]
      writeFileSync(join(folder, 'in'), JSON.stringify({ encrypted: false, items }))
      expect(await runCommand({ folder }, 'import', '--from', 'auto', 'in')).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: nothing in the export can be imported: the item is in the trash\n',
      })
      expect(readdirSync(folder)).toEqual(['in'])
    }))

  it('says that an export is empty, and creates nothing', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'in'), '{"encrypted":false,"folders":[],"items":[]}')
      expect(await runCommand({ folder }, 'import', '--from', 'auto', 'in')).toEqual({
        code: 0,
        stdout: 'The export is empty, so there is nothing to import. Nothing was written.\n',
        stderr: '',
      })
      expect(readdirSync(folder)).toEqual(['in'])
    }))
})

/** Reads an export that has these lines to its end. */
async function readAll(lines: readonly string[]): Promise<void> {
  const text = Buffer.from(`${lines.join('\n')}\n`)
  for await (const _ of readLines(Readable.from([text])));
}
