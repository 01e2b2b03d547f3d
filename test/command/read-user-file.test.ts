import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDecrypter, createEncrypter } from '../../src/command/age.js'
import { CommandError } from '../../src/command/command-error.js'
import { type ReadLine, readLines } from '../../src/command/import/read-lines.js'
import {
  decodeUserText,
  parseUserJson,
  readUserFile,
  readUserText,
} from '../../src/command/read-user-file.js'
import { runCommand, withFolder } from '../integrations/support/command/run-command.js'

/** Forms in which editors save `text` that are not UTF-8. */
const wrongForms = (text: string): readonly (readonly [name: string, bytes: Buffer])[] => [
  ['Latin-1', Buffer.from(`${text}ä`, 'latin1')],
  ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 without one', Buffer.from(text, 'utf16le')],
]

const withMark = (text: string): string => `\uFEFF${text}`
const seed = JSON.stringify({ vaults: [{ name: 'Team', items: [] }] })

describe('decodeUserText', () => {
  it('returns text in UTF-8 without one byte order mark', () => {
    expect(decodeUserText(Buffer.from('ä😀\n'), 'a.txt')).toBe('ä😀\n')
    expect(decodeUserText(Buffer.from(withMark('ä')), 'a.txt')).toBe('ä')
    expect(decodeUserText(Buffer.from(withMark(withMark('ä'))), 'a.txt')).toBe(withMark('ä'))
    expect(decodeUserText(Buffer.of(), 'a.txt')).toBe('')
  })

  it.each(wrongForms('hunter2'))('rejects %s, and does not quote it', (_, bytes) => {
    const decode = () => decodeUserText(bytes, 'a.txt')
    expect(decode).toThrow(CommandError)
    expect(decode).toThrow(/^a\.txt is not text in UTF-8\nSave it with the encoding UTF-8\.$/)
  })
})

describe('readUserFile', () => {
  it('reads bytes, and names a file that cannot be read', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'a'), Buffer.of(0xff, 0))
      expect([...(await readUserFile(folder, 'a'))]).toEqual([0xff, 0])
      await expect(readUserFile(folder, 'b')).rejects.toThrow(/^b does not exist$/)
      await expect(readUserText(folder, '.')).rejects.toThrow(/^\. cannot be read: EISDIR$/)
    }))
})

describe('parseUserJson', () => {
  it('returns the value, or says where the text stops being JSON', () => {
    expect(parseUserJson('null', 'a.json')).toBeNull()
    const parse = () => parseUserJson('{\n "a": hunter2 }', 'a.json')
    expect(parse).toThrow(/^a\.json is not JSON: line 2, column 7$/)
  })
})

describe('a passphrase file', () => {
  it.each(wrongForms('correct horse'))('is rejected in %s', (_, bytes) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'pass'), bytes)
      const options = { passphraseFile: 'pass' }
      const problem = 'pass is not text in UTF-8'
      await expect(createEncrypter(folder, options)).rejects.toThrow(problem)
      await expect(createDecrypter(folder, options)).rejects.toThrow(problem)
      await expect(createDecrypter(folder, { identityFile: 'pass' })).rejects.toThrow(problem)
    }),
  )
})

describe('a seed', () => {
  it.each(wrongForms(seed))('is rejected in %s', (_, bytes) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), bytes)
      const result = await runCommand({ folder }, 'seed', 'seed.json', '--store', 'sqlite:a.db')
      expect(result).toMatchObject({ code: 2, stdout: '' })
      expect(result.stderr).toContain('seed.json is not text in UTF-8')
      expect(existsSync(join(folder, 'a.db'))).toBe(false)
    }),
  )
})

describe('a template', () => {
  const inject = (folder: string, file: string, input?: Buffer) =>
    runCommand({ folder, ...(input && { input }) }, 'inject', file, '--store', 'memory')

  it.each(wrongForms('KEY={{ op://Team/Acme/key }}'))('is rejected in %s', (_, bytes) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'template'), bytes)
      const ofFile = await inject(folder, 'template')
      expect(ofFile).toMatchObject({ code: 2, stdout: '' })
      expect(ofFile.stderr).toContain('template is not text in UTF-8')
      const ofInput = await inject(folder, '-', bytes)
      expect(ofInput).toMatchObject({ code: 2, stdout: '' })
      expect(ofInput.stderr).toContain('the standard input is not text in UTF-8')
    }),
  )

  it('is read with a byte order mark', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'template'), withMark('no reference: ä\n'))
      expect(await inject(folder, 'template')).toMatchObject({ stdout: 'no reference: ä\n' })
    }))
})

describe('a token file', () => {
  const list = (folder: string) => runCommand({ folder }, 'token', '--tokens', 'tokens', '--list')

  it.each(wrongForms('{ "tokens": [] }'))('is rejected in %s, and stays unchanged', (_, bytes) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'tokens'), bytes)
      const add = ['token', '--tokens', 'tokens', '--add', 'ci', '--vault', '*']
      for (const result of [await list(folder), await runCommand({ folder }, ...add)]) {
        expect(result).toMatchObject({ code: 2, stdout: '' })
        expect(result.stderr).toContain('tokens is not text in UTF-8')
      }
      expect(readFileSync(join(folder, 'tokens'))).toEqual(bytes)
    }),
  )

  it('is read with a byte order mark', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'tokens'), withMark('{ "tokens": [] }'))
      expect(await list(folder)).toMatchObject({ code: 0, stderr: 'tokens has no tokens.\n' })
    }))
})

describe('the file of a variable with the suffix _FILE', () => {
  const migrate = (folder: string) =>
    runCommand({ folder, env: { COFFERKIT_STORE_FILE: 'store' } }, 'migrate')

  it.each(wrongForms('memory'))('is rejected in %s', (_, bytes) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'store'), bytes)
      const result = await migrate(folder)
      expect(result.code).toBe(2)
      expect(result.stderr).toContain('the file of COFFERKIT_STORE_FILE is not text in UTF-8')
    }),
  )

  it('is read with a byte order mark', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'store'), withMark('memory\n'))
      const result = await migrate(folder)
      expect(result.stderr).not.toContain('UTF-8')
      expect(result.stderr).not.toContain('COFFERKIT_STORE_FILE')
    }))
})

describe('readLines', () => {
  const first = '{"format":"cofferkit-export","version":1}\n'
  const vault = '{"vault":{"id":"v","name":"Team ä"}}\n'
  const last = '{"end":{"vaults":1,"items":0,"files":0}}\n'
  const read = async (...chunks: readonly Buffer[]) => {
    const lines = readLines(
      (async function* () {
        yield* chunks
      })(),
    )
    const found: ReadLine[] = []
    for await (const line of lines) found.push(line)
    return found
  }

  it('reads lines with a byte order mark before the first one', async () => {
    const lines = await read(Buffer.from(withMark(first + vault + last)))
    expect(lines).toEqual([{ number: 2, kind: 'vault', id: 'v', name: 'Team ä' }])
  })

  it('names a line that is not UTF-8', async () => {
    const lines = read(Buffer.from(first), Buffer.from(vault, 'latin1'), Buffer.from(last))
    await expect(lines).rejects.toThrow(/^line 2: is not text in UTF-8$/)
  })

  it.each(wrongForms(first + vault + last).slice(1))('names no line in %s', async (_, bytes) => {
    await expect(read(bytes)).rejects.toThrow(/^not a file of export\n/)
  })

  it('names a line that is not JSON', async () => {
    const lines = read(Buffer.from(first), Buffer.from(`${withMark(vault)}`))
    await expect(lines).rejects.toThrow(/^line 2: is not JSON$/)
  })
})
