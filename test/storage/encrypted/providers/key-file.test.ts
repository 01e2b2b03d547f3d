import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageError } from '../../../../src/errors.js'
import { createKeyFile, readKeyFile } from '../../../../src/storage/encrypted.js'
import { giveToAnotherUser } from '../../../support/stores/file-owner.js'

let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cofferkit-key-'))
  path = join(folder, 'key')
})

afterEach(() => rm(folder, { recursive: true }))

async function write(content: string | Uint8Array, mode = 0o600): Promise<void> {
  await writeFile(path, content, { mode })
  await chmod(path, mode)
}

describe('createKeyFile', () => {
  it('writes a random key that only its owner can read, and that readKeyFile returns', async () => {
    const key = await createKeyFile(path)
    expect(key).toHaveLength(32)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readKeyFile(path)).toEqual(key)
    expect(await createKeyFile(join(folder, 'other'))).not.toEqual(key)
  })

  it.skipIf(process.platform === 'win32')('syncs the file, then its folder', async () => {
    const any = await open(folder, 'r')
    const prototype: typeof any = Object.getPrototypeOf(any)
    await any.close()
    const { sync } = prototype
    const synced: string[] = []
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof any) {
      const { ino, size } = await this.stat()
      await sync.call(this)
      synced.push(`${ino === (await stat(folder)).ino ? 'folder' : `file of ${size}`}`)
    })
    try {
      await createKeyFile(path)
    } finally {
      vi.restoreAllMocks()
    }
    expect(synced).toEqual(['file of 65', 'folder'])
  })

  it('rejects when the file already exists', async () => {
    await write('precious')
    const failure = createKeyFile(path)
    await expect(failure).rejects.toThrow(StorageError)
    await expect(failure).rejects.toMatchObject({
      message: `the key file ${path} cannot be written`,
      cause: { message: 'Error EEXIST' },
    })
    expect(await readFile(path, 'utf8')).toBe('precious')
  })
})

describe('readKeyFile', () => {
  const key = Uint8Array.from({ length: 32 }, (_, index) => index * 8)
  const digits = Buffer.from(key).toString('hex')

  it.each([
    ['32 bytes', key],
    ['64 digits', digits],
    ['64 digits and a line break', `${digits}\n`],
    ['capital digits and a line break of Windows', `${digits.toUpperCase()}\r\n`],
  ])('reads %s', async (_, content) => {
    await write(content)
    expect(await readKeyFile(path)).toEqual(key)
  })

  it.each([
    ['nothing', ''],
    ['31 bytes', key.subarray(1)],
    ['33 bytes', Buffer.concat([key, key.subarray(0, 1)])],
    ['63 digits', digits.slice(1)],
    ['66 digits', `${digits}00`],
    ['a character that is not a digit', `g${digits.slice(1)}`],
    ['base64', Buffer.from(key).toString('base64')],
  ])('rejects %s', async (_, content) => {
    await write(content)
    await expect(readKeyFile(path)).rejects.toThrow(`the key file ${path} must contain 32 bytes`)
  })

  it.each([0o640, 0o604, 0o660, 0o601, 0o620])('rejects a file of mode %o', async (mode) => {
    await write(digits, mode)
    const failure = readKeyFile(path)
    await expect(failure).rejects.toThrow(StorageError)
    await expect(failure).rejects.toThrow(`the key file ${path} must have mode 0600`)
  })

  it('reads a file of mode 0400', async () => {
    await write(digits, 0o400)
    expect(await readKeyFile(path)).toEqual(key)
  })

  it('rejects with the path and the code of the system when a file cannot be read', async () => {
    await expect(readKeyFile(path)).rejects.toMatchObject({
      message: `the key file ${path} does not exist: for a new store, create it with keygen`,
      cause: { message: 'Error ENOENT' },
    })
    await write(digits, 0o600)
    await expect(readKeyFile(join(path, 'below'))).rejects.toMatchObject({
      message: `the key file ${join(path, 'below')} cannot be read`,
      cause: { message: 'Error ENOTDIR' },
    })
  })

  it.each([
    digits,
    `${digits.toUpperCase()}\n`,
    Buffer.from(key).toString('base64'),
    Buffer.from(key).toString('base64url'),
  ])('does not name a path that is a key, such as %j', async (passed) => {
    const error: unknown = await readKeyFile(passed).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^the key file \(whose path looks like a key\) (?:does not exist|cannot be read)/,
      ),
    })
    expect(`${JSON.stringify(error)} ${error}`).not.toContain(passed.trim())
  })

  it.skipIf(process.platform === 'win32')(
    'rejects a file of another user, even when the process runs as root',
    async () => {
      await write(digits)
      giveToAnotherUser(path)
      const failure = readKeyFile(path)
      await expect(failure).rejects.toThrow(StorageError)
      await expect(failure).rejects.toThrow(`the key file ${path} belongs to another user`)
    },
  )
})

describe.skipIf(process.platform === 'win32')('readKeyFile and createKeyFile', () => {
  const openError = (file: string) =>
    `others can write to the folder of the key file ${file}, which is not sticky`

  it('reject a folder that others can write to, unless it is sticky', async () => {
    await chmod(folder, 0o1777)
    await createKeyFile(path)
    await chmod(folder, 0o777)
    await expect(readKeyFile(path)).rejects.toThrow(openError(path))
    const other = join(folder, 'other')
    await expect(createKeyFile(other)).rejects.toThrow(new StorageError(openError(other)))
    await expect(stat(other)).rejects.toThrow('ENOENT')
    await chmod(folder, 0o775)
    expect(await readKeyFile(path)).toHaveLength(32)
  })

  it('reject a symbolic link out of such a folder, and one into it', async () => {
    const [shared, own] = [join(folder, 'shared'), join(folder, 'own')]
    for (const made of [shared, own]) {
      await mkdir(made)
      await createKeyFile(join(made, 'key'))
    }
    await symlink(join(own, 'key'), join(shared, 'link'))
    await symlink(join(shared, 'key'), join(own, 'link'))
    await chmod(shared, 0o777)
    await expect(readKeyFile(join(shared, 'link'))).rejects.toThrow(openError(join(shared, 'link')))
    await expect(readKeyFile(join(own, 'link'))).rejects.toThrow(openError(join(shared, 'key')))
    expect(await readKeyFile(join(own, 'key'))).toHaveLength(32)
  })
})
