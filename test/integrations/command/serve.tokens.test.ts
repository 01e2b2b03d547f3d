import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  runCommand,
  type StartedServer,
  startListening,
  startScreen,
  withFolder,
} from '../support/command/run-command.js'

interface State {
  readonly origin: string
  readonly vaults: readonly { readonly id: string }[]
  readonly callers: readonly string[]
}

/** Calls `work` with a server whose tokens are in `tokens.json`, which is empty at first. */
const withServer = (
  flags: readonly string[],
  work: (
    server: StartedServer<State> & {
      readonly folder: string
      readonly vaultId: string
      add(id: string, ...permissions: string[]): Promise<string>
      revoke(id: string): Promise<void>
      request(token: string, path?: string): Promise<Response>
      /** Resolves when the server has read a file with this number of tokens. */
      read(count: number): Promise<string>
    },
  ) => Promise<void>,
): Promise<void> =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'tokens.json'), '{"tokens":[]}', { mode: 0o600 })
    const parameters = ['--tokens', 'tokens.json', ...flags]
    const server = await startListening<State>({ folder }, 'serve', ...parameters)
    const { origin, vaults } = server.state
    const vaultId = vaults[0]?.id ?? ''
    const change = (...words: string[]) =>
      runCommand({ folder }, 'token', '--tokens', 'tokens.json', ...words)
    try {
      await work({
        ...server,
        folder,
        vaultId,
        async add(id, ...permissions) {
          const vault = permissions.flatMap((permission) => ['--vault', permission])
          return (await change('--add', id, ...vault)).stdout.trim()
        },
        async revoke(id) {
          expect(await change('--revoke', id)).toMatchObject({ code: 0 })
        },
        request: (token, path = '/v1/vaults') =>
          fetch(origin + path, { headers: { authorization: `Bearer ${token}` } }),
        read: (count) => server.lineWith(new RegExp(`"event":"tokens","count":${count},`)),
      })
    } finally {
      await server.stop()
    }
  })

describe('serve --tokens', () => {
  it('accepts a token that was added, with its permissions, until it is revoked', () =>
    withServer(
      ['--store', 'memory'],
      async ({ vaultId, folder, add, revoke, request, read, lineWith }) => {
        const all = await add('admin', '*')
        const reader = await add('reader', `${vaultId}=read`)
        await read(2)
        expect(statSync(join(folder, 'tokens.json')).mode & 0o777).toBe(0o600)
        expect(readFileSync(join(folder, 'tokens.json'), 'utf8')).not.toContain(reader)
        expect((await request(all)).status).toBe(200)
        expect((await request(all, `/v1/vaults/${'z'.repeat(26)}`)).status).toBe(403)
        expect((await request(reader, `/v1/vaults/${vaultId}/items`)).status).toBe(200)
        await revoke('reader')
        await lineWith(/"event":"tokens","count":1,"revoked":\["reader"\]/)
        expect((await request(reader)).status).toBe(401)
        expect((await request(all)).status).toBe(200)
      },
    ))

  it('ends the upload of a token that is revoked while it is sent', () =>
    withServer(['--store', 'memory'], async ({ state, vaultId, add, revoke, lineWith }) => {
      const token = await add('ci', '*')
      await lineWith(/"event":"tokens","count":1,/)
      const { hostname, port } = new URL(state.origin)
      const socket = connect(Number(port), hostname)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.on('error', () => {})
      const head = `POST /v1/vaults/${vaultId}/items HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n`
      socket.write(`${head}content-type: application/json\r\ncontent-length: 1000\r\n\r\n{`)
      // Another request of the token is answered, so the first one has arrived before it.
      const other = await fetch(`${state.origin}/v1/vaults`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(other.status).toBe(200)
      await revoke('ci')
      await closed
    }))

  it('ends the download of a token that is revoked while it is received', () =>
    withServer(['--store', 'memory'], async ({ state, vaultId, add, revoke, request, read }) => {
      const token = await add('ci', '*')
      await read(1)
      const items = `/v1/vaults/${vaultId}/items`
      const post = async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': type }
        const response = await fetch(state.origin + path, { method: 'POST', headers, body })
        const { id }: { id: string } = JSON.parse(await response.text())
        return id
      }
      const draft = JSON.stringify({ vault: { id: vaultId }, category: 'LOGIN' })
      const item = `${items}/${await post(items, 'application/json', draft)}`
      const content = new Uint8Array(32 * 2 ** 20)
      const fileId = await post(`${item}/files?name=a`, 'application/octet-stream', content)
      const { status, body } = await request(token, `${item}/files/${fileId}/content`)
      const reader = body?.getReader()
      expect([status, (await reader?.read())?.done]).toEqual([200, false])
      await revoke('ci')
      await read(0)
      const readAll = async (): Promise<void> => {
        while ((await reader?.read())?.done === false);
      }
      await expect(readAll()).rejects.toThrow('terminated')
    }))

  it('keeps the tokens of a broken file, says so, and reads it on SIGHUP without ending', () =>
    withServer(['--store', 'memory'], async ({ add, read, request, folder, lineWith, pid }) => {
      const token = await add('ci', '*')
      await read(1)
      const path = join(folder, 'tokens.json')
      const valid = readFileSync(path, 'utf8')
      writeFileSync(path, valid.slice(0, -10))
      expect(JSON.parse(await lineWith(/"level":"warn".*is not JSON/))).toMatchObject({
        event: 'warning',
        message: expect.stringMatching(/^tokens\.json is not JSON: .*still accepted\.$/),
      })
      expect((await request(token)).status).toBe(200)
      writeFileSync(path, '{"tokens":[]}')
      await lineWith(/"count":0,"revoked":\["ci"\]/)
      expect((await request(token)).status).toBe(401)
      chmodSync(path, 0o644)
      expect(await lineWith(/mode 0644: run chmod 600/)).toContain('tokens.json')
      process.kill(pid, 'SIGHUP')
      await lineWith(/"count":0,"revoked":\[\]/)
    }))

  it('records the caller and the id of a request in the log and in the activity of the store', () =>
    withServer(['--activity', 'store'], async ({ vaultId, add, read, request, stop, folder }) => {
      const token = await add('leaky', `${vaultId}=read`)
      await read(1)
      const response = await request(token, `/v1/vaults/${vaultId}/items`)
      const requestId = response.headers.get('x-request-id')
      const { stdout, stderr } = await stop()
      const lines = (stdout + stderr).trimEnd().split('\n')
      const logged = lines.map((line) => JSON.parse(line))
      for (const line of logged)
        expect(line).toMatchObject({ level: 'info', time: expect.any(String) })
      expect(logged.find(({ event }) => event === 'request')).toMatchObject({
        requestId,
        caller: 'leaky',
        address: '127.0.0.1',
        status: 200,
      })
      expect(stdout + stderr).not.toContain(token)
      const flags = ['--caller', 'leaky', '--since', '1h', '--json']
      const listed = await runCommand({ folder }, 'activity', ...flags)
      expect(JSON.parse(listed.stdout)).toMatchObject({
        operation: 'listItems',
        clientRequestId: requestId,
        resource: { vault: { id: vaultId } },
      })
    }))

  it('says on its screen which callers have a token', () =>
    withFolder(async (folder) => {
      const tokens = ['--tokens', 'tokens.json']
      await runCommand({ folder }, 'token', ...tokens, '--add', 'ci', '--vault', '*')
      const parameters = ['serve', '--store', 'memory', '--port', '0', ...tokens]
      const screen = await startScreen({ folder }, parameters, async () => {})
      expect(screen).toMatch(/^ {2}Tokens {3}tokens\.json, of ci$/m)
      expect(screen).toMatch(/^ {2}export OP_CONNECT_TOKEN='<a token of the file>'$/m)
      expect(screen).toMatch(/^It has no TLS, so put a proxy with TLS in front of it/m)
      expect(screen).not.toMatch(/one token|tests/)
    }))

  it.each<[string[], Record<string, string>, string]>([
    [['--tokens', 'none.json'], {}, 'none.json does not exist\nRun: npx cofferkit token'],
    [['--tokens', 'a.json'], {}, 'a.json: tokens[0].sha256 must be 64 hexadecimal digits'],
    [['--tokens', 'a.json', '--token', 's3cret'], {}, '--tokens and --token exclude each other'],
    [['--tokens', 'a.json'], { COFFERKIT_TOKEN: 's3cret' }, '--tokens and COFFERKIT_TOKEN exclude'],
    [['--token', 's3cret'], { COFFERKIT_TOKENS_FILE: 'a.json' }, 'COFFERKIT_TOKENS_FILE and --to'],
    [['--tokens', 'a.json', '--', 'true'], {}, '--tokens cannot be used with a command'],
    [[], { COFFERKIT_TOKEN: 's3cret', COFFERKIT_TOKEN_FILE: 'a' }, 'COFFERKIT_TOKEN and COFF'],
    [[], { COFFERKIT_TOKEN_FILE: 'none' }, 'the file of COFFERKIT_TOKEN_FILE does not exist'],
    [[], { COFFERKIT_PORT: 's3cret' }, 'COFFERKIT_PORT: must be a number from 0 to 65535'],
    [[], { MAX_INLINE_FILE_SIZE_KB: 's3cret' }, 'MAX_INLINE_FILE_SIZE_KB: must be a number of ki'],
    [['--trusted-proxy', 's3cret'], {}, '--trusted-proxy: must be an address or a network'],
    [['--rate-limit', '0'], {}, '--rate-limit: must be a whole number from 1'],
    [['--json'], {}, '--json needs a token, because a generated one would be in the log'],
  ])('refuses %j with %j', (parameters, env, message) =>
    withFolder(async (folder) => {
      const entry = { id: 'ci', sha256: 's3cret', vaults: '*' }
      writeFileSync(join(folder, 'a.json'), JSON.stringify({ tokens: [entry] }), { mode: 0o600 })
      const result = await runCommand({ folder, env }, 'serve', '--store', 'memory', ...parameters)
      expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' })
      const text = result.stderr.replace(/^error: /, '')
      const given = text.startsWith('{') ? JSON.parse(text).message : text
      expect(given.startsWith(message), given).toBe(true)
      expect(result.stderr).not.toContain('s3cret')
    }),
  )
})
