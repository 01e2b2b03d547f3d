import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { OnePasswordConnect } from '@1password/connect'
import { TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { databaseSeed } from '../support/command/database-seed.js'
import { runCommand, startScreen, startServe, withFolder } from '../support/command/run-command.js'

const seed = databaseSeed('s3cret-value', [{ name: 'a.txt', content: 'hello' }])

describe('serve', () => {
  it('creates cofferkit.db with a vault, keeps its items, and ends with 0 on a signal', () =>
    withFolder(async (folder) => {
      const first = await startServe({ folder })
      expect(first.state.vaults).toMatchObject([{ name: 'Default' }])
      expect(statSync(join(folder, 'cofferkit.db')).mode & 0o777).toBe(0o600)
      const [vault] = first.state.vaults
      const created = await first.request(`/v1/vaults/${vault?.id}/items`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ category: 'LOGIN', title: 'Kept', vault: { id: vault?.id } }),
      })
      expect(created.status).toBe(200)
      const stopped = await first.stop('SIGINT')
      expect(stopped).toMatchObject({ code: 0, stderr: '' })
      const last = JSON.parse(stopped.stdout.trimEnd().split('\n').at(-1) ?? '')
      expect(last).toEqual({ level: 'info', time: expect.any(String), event: 'stopped' })

      const second = await startServe({ folder })
      const items = await (await second.request(`/v1/vaults/${vault?.id}/items`)).json()
      expect(items).toMatchObject([{ title: 'Kept' }])
      expect((await second.stop()).code).toBe(0)
    }))

  it('serves the published client with the items of a seed', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const served = await startServe({ folder }, '--store', 'memory', '--seed', 'seed.json')
      const { origin, token } = served.state
      const client = OnePasswordConnect({ serverURL: origin, token, keepAlive: false })
      const vault = await client.getVaultByTitle('Team')
      const item = await client.getItemByTitle(String(vault.id), 'Database')
      expect(item.fields?.find(({ id }) => id === 'password')?.value).toBe('s3cret-value')
      const [file] = await client.listFiles(String(vault.id), String(item.id))
      expect(file).toMatchObject({ name: 'a.txt', size: 5 })
      expect((await served.stop()).code).toBe(0)
    }))

  it.each([
    ['bitwarden', 'JBSWY3DPEHPK3PXP'],
    ['bitwarden', 'otpauth://totp/Mail:wendy?secret=JBSWY3DPEHPK3PXP&issuer=Mail'],
  ])('answers getItemOTP of the published client after an import from %s of %s', (from, totp) =>
    withFolder(async (folder) => {
      const login = { username: 'wendy', password: 's3cret', totp }
      const exported = { encrypted: false, folders: [], items: [{ type: 1, name: 'Mail', login }] }
      writeFileSync(join(folder, 'bw.json'), JSON.stringify(exported))
      const imported = await runCommand({ folder }, 'import', '--from', from, 'bw.json')
      expect(imported).toMatchObject({ code: 0 })
      const served = await startServe({ folder })
      const { origin, token } = served.state
      const client = OnePasswordConnect({ serverURL: origin, token, keepAlive: false })
      const vaults = await client.listVaults()
      const found = await Promise.all(
        vaults.map(({ id = '' }) => client.listItemsByTitle(id, 'Mail')),
      )
      const [item] = found.flat()
      const codes = () =>
        [-30_000, 0, 30_000].map((shift) =>
          new TOTP({ secret: 'JBSWY3DPEHPK3PXP' }).generate({ timestamp: Date.now() + shift }),
        )
      const code = await client.getItemOTP(String(item?.vault?.id), String(item?.id))
      expect(codes()).toContain(code)
      expect((await served.stop()).code).toBe(0)
    }),
  )

  it('uses a seed only when the store has no vaults', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const first = await startServe({ folder }, '--seed', 'seed.json')
      expect(first.state.seed).toBe('created 1 vault and 1 item')
      await first.stop()
      const second = await startServe({ folder }, '--seed', 'seed.json')
      expect(second.state.seed).toMatch(/^not used/)
      expect(second.state.vaults).toEqual(first.state.vaults)
      await second.stop()
    }))

  it('logs one line per request without values, names and tokens', () =>
    withFolder(async (folder) => {
      const token = 'a-token-of-the-user'
      const served = await startServe({ folder, env: { COFFERKIT_TOKEN: token } }, '--store=memory')
      const [vault] = served.state.vaults
      const path = `/v1/vaults/${vault?.id}/items`
      await served.request(`${path}?filter=${encodeURIComponent('title eq "s3cret"')}`)
      await served.request(`/v1/vaults/s3cret%0a${token}/items`, {
        headers: { 'x-request-id': 'mine' },
      })
      await fetch(`${served.state.origin}/s3cret`)
      const { stdout, stderr } = await served.stop()
      const lines = stdout.trimEnd().split('\n')
      const requests = lines.map((line) => JSON.parse(line)).slice(1, -1)
      expect(requests).toMatchObject([
        { event: 'request', method: 'GET', path, status: 200, requestId: expect.any(String) },
        { path: '/v1/vaults/*/items', status: 400, requestId: 'mine' },
        { path: '/*', status: 404 },
      ])
      expect(stdout + stderr).not.toMatch(/s3cret|a-token-of-the-user/)
    }))

  it('prints a screen with a token and commands that work, and a line per request', () =>
    withFolder(async (folder) => {
      const parameters = ['--store', 'memory', '--port', '0', '--token', 'chosen-by-the-user']
      const given = await runAndStop(folder, parameters)
      expect(given).toMatch(/^ {2}export OP_CONNECT_TOKEN='<your --token>'$/m)
      expect(given).not.toContain('chosen-by-the-user')
      const env = { COFFERKIT_TOKEN: 'chosen-by-the-user' }
      const fromVariable = await runAndStop(folder, parameters.slice(0, -2), env)
      expect(fromVariable).toMatch(/^ {2}export OP_CONNECT_TOKEN=\$COFFERKIT_TOKEN$/m)
      expect(fromVariable).not.toContain('chosen-by-the-user')
      const screen = await runAndStop(folder, parameters.slice(0, -2))
      expect(screen).toMatch(/^ {2}export OP_CONNECT_HOST=http:\/\/127\.0\.0\.1:\d+$/m)
      expect(screen.match(/[\w-]{43}/g)).toHaveLength(1)
      expect(screen).toMatch(/^It has no TLS and one token for everything, /m)
      expect(screen).toMatch(
        /^ {2}Tokens {3}one for everything: a stand-in for tests and development$/m,
      )
      expect(screen).toMatch(/^\S+Z GET \/heartbeat 200 \d+\.\d ms [\w-]{36}$/m)
      expect(screen.split('\n').length).toBeLessThanOrEqual(24)
    }))

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:'],
    ['::', 'http://[::1]:'],
  ])('prints an address that works when it listens on %s', (host, origin) =>
    withFolder(async (folder) => {
      const parameters = ['--store', 'memory', '--port', '0', '--host', host]
      const screen = await runAndStop(folder, parameters)
      expect(screen).toContain(`export OP_CONNECT_HOST=${origin}`)
      expect(screen).toMatch(/^ {2}Address {2}\S+, on other machines the name of this one$/m)
    }),
  )

  it('encrypts the store when it has a key file', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'key'), 'ab'.repeat(32), { mode: 0o600 })
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const flags = ['--encrypt', 'key', '--seed', 'seed.json']
      const served = await startServe({ folder }, ...flags)
      expect(served.state.store).toBe('SQLite file cofferkit.db, encrypted with key')
      await served.stop()
      expect(readFileSync(join(folder, 'cofferkit.db')).includes('s3cret-value')).toBe(false)
      const plain = await runCommand({ folder }, 'serve', '--port', '0')
      expect(plain).toMatchObject({ code: 2, stdout: '' })
      expect(plain.stderr).toMatch(/^error: /)
    }))

  it('opens a store of the user, and closes it', () =>
    withFolder(async (folder) => {
      writeFileSync(
        join(folder, 'my-store.mjs'),
        `const records = { get: async () => undefined, put: async () => true, delete: async () => true, list: async () => [] }
         const blobs = { read: async () => undefined, write: async () => {}, delete: async () => {} }
         export default async () => ({ records, blobs, close: () => console.error('closed') })`,
      )
      const served = await startServe({ folder }, '--store', './my-store.mjs')
      expect(await served.stop()).toMatchObject({ code: 0, stderr: 'closed\n' })
    }))

  it('serves the contract dialect, and only the published routes, when told to', () =>
    withFolder(async (folder) => {
      const flags = ['--store', 'memory', '--dialect', 'contract', '--no-extensions']
      const served = await startServe({ folder }, ...flags)
      const heartbeat = await served.request('/v1/vaults')
      expect(heartbeat.headers.has('1password-connect-version')).toBe(false)
      const created = await served.request('/v1/vaults', { method: 'POST', body: '{}' })
      expect(created.status).toBe(405)
      await served.stop()
    }))

  it('serves a page, read-only unless it can be edited', () =>
    withFolder(async (folder) => {
      for (const flags of [['--page'], ['--page-edit']]) {
        const served = await startServe({ folder }, '--store', 'memory', ...flags)
        const response = await fetch(`${served.state.origin}/ui`)
        expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
        expect(Object(served.state).pageUrl).toBe(`${served.state.origin}/ui`)
        const { stdout } = await served.stop()
        expect(stdout).toContain('"path":"/ui","status":200')
      }
    }))

  it('answers an open request before it stops', () =>
    withFolder(async (folder) => {
      const served = await startServe({ folder }, '--store', 'memory')
      const [vault] = served.state.vaults
      let send: (() => void) | undefined
      const body = new ReadableStream({
        start(controller) {
          const item = { category: 'LOGIN', title: 'Late', vault: { id: vault?.id } }
          controller.enqueue(new TextEncoder().encode(JSON.stringify(item).slice(0, 10)))
          send = () => {
            controller.enqueue(new TextEncoder().encode(JSON.stringify(item).slice(10)))
            controller.close()
          }
        },
      })
      const init = { method: 'POST', body, duplex: 'half' as const }
      const headers = { 'content-type': 'application/json' }
      const answer = served.request(`/v1/vaults/${vault?.id}/items`, { ...init, headers })
      await new Promise((resolve) => setTimeout(resolve, 300))
      const stopped = served.stop()
      await new Promise((resolve) => setTimeout(resolve, 300))
      send?.()
      expect((await answer).status).toBe(200)
      expect((await stopped).code).toBe(0)
    }))
})

describe('serve called wrongly', () => {
  it.each<[string[], string]>([
    [['--encypt', 'key'], 'error: unknown flag --encypt, did you mean --encrypt?'],
    [
      ['--tokn=s3cret'],
      'error: unknown flag --tokn, did you mean --token?\nRun cofferkit serve --help.\n',
    ],
    [['--pageEdt'], 'error: unknown flag --pageEdt, did you mean --page-edit?'],
    [['npm', '--tokn'], 'error: put -- before the command: cofferkit serve -- ...'],
    [['--store', 'team.db'], 'error: --store: unknown store, did you mean sqlite:team.db?'],
    [
      ['--store', './a/b.sqlite'],
      'error: --store: unknown store, did you mean sqlite:./a/b.sqlite?',
    ],
    [['--store', 'sqlite:nodir/x.db'], 'error: the folder nodir does not exist'],
    [['--store', 'sqlite:.'], 'error: . cannot be read: EISDIR'],
    [['--port', 's3cret'], 'error: --port: must be a number from 0 to 65535'],
    [['--dialect', 's3cret'], 'error: --dialect must be one of connect, contract'],
    [['s3cret'], 'error: too many arguments: none is expected'],
    [['--store', 's3cret'], 'error: --store: unknown store'],
    [['--store', 'postgres:s3cret'], 'error: --store: not a valid URL of postgres'],
    [['--store', 'etcd:s3cret'], 'error: --store: not a valid origin of etcd'],
    [['--store', './none.js'], 'error: '],
    [['--seed', 'none.json'], 'error: none.json does not exist'],
    [['--encrypt', 'none'], 'error: the key file none does not exist'],
    [['--token', 's3cret\n'], 'error: a token must consist of letters'],
    [['--token', 's3cret', '--host', '0.0.0.0'], 'error: on 0.0.0.0 other machines can reach'],
    [['--store', 'mysql://root:s3cret@127.0.0.1/x'], 'error: this store needs the package mysql2'],
    [['--store', 'postgres://a:s3cret@127.0.0.1/x'], 'error: this store needs the package pg'],
  ])('ends with 2 and without a stack: %j', (parameters, message) =>
    withFolder(async (folder) => {
      const { code, stdout, stderr } = await runCommand({ folder }, 'serve', ...parameters)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr.startsWith(message), stderr).toBe(true)
      expect(stderr).not.toMatch(/s3cret|^ +at /m)
    }),
  )

  it.each([
    ["throw new Error('s3cret')", /store\.mjs failed in line 1: Error$/m],
    ["export default () => { throw new Error('s3cret') }", /store\.mjs failed in line 1: Error$/m],
    ['export default 7', /is not a store\nExport a store/],
    ["import 'none-such'", /cannot be imported: Cannot find package 'none-such'/],
  ])('ends with 2 when the module of the store is wrong: %s', (text, message) =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'store.mjs'), text)
      const { code, stderr } = await runCommand({ folder }, 'serve', '--store', './store.mjs')
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr).not.toMatch(/s3cret|^ +at /m)
    }),
  )

  it('runs a command on a free port, and ends with its exit code and nothing but its output', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const script = `
        const { OP_CONNECT_HOST: host, OP_CONNECT_TOKEN: token } = process.env
        const headers = { authorization: 'Bearer ' + token }
        const response = await fetch(host + '/v1/vaults', { headers })
        console.log(host, (await response.json()).map(({ name }) => name).join())
        process.exit(7)`
      const { code, stdout, stderr } = await runCommand(
        { folder },
        ...['serve', '--store', 'memory', '--seed', 'seed.json', '--'],
        ...[process.execPath, '--input-type=module', '-e', script],
      )
      const [, origin = '', names] = /^(http:\S+) (\w+)\n$/.exec(stdout) ?? []
      expect({ code, names, stderr }).toEqual({ code: 7, names: 'Team', stderr: '' })
      await expect(fetch(origin)).rejects.toThrow('fetch failed')
    }))

  it('hands its own store, token and key file to no command', () =>
    withFolder(async (folder) => {
      await runCommand({ folder }, 'keygen', 'a.key')
      const env = {
        COFFERKIT_STORE: 'sqlite:mine.db',
        COFFERKIT_KEY_FILE: 'a.key',
        COFFERKIT_TOKEN: 'chosen-by-the-user',
      }
      const script =
        'const { env } = process; console.log(Object.keys(env).filter((name) => ' +
        "name.startsWith('COFFERKIT_')).join(), env.OP_CONNECT_TOKEN)"
      const command = ['serve', '--', process.execPath, '-e', script]
      const { code, stdout } = await runCommand({ folder, env }, ...command)
      expect([code, stdout]).toEqual([0, ' chosen-by-the-user\n'])
    }))

  it('ends with 2 before the command when the store has vaults and the seed would not be used', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
      const parameters = ['serve', '--seed', 'seed.json', '--', process.execPath, '-e', '']
      expect((await runCommand({ folder }, ...parameters)).code).toBe(0)
      expect(await runCommand({ folder }, ...parameters)).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'error: seed.json cannot be used, because the store already has vaults\n' +
          'Pass --store memory to begin with the seed every time.\n',
      })
    }))

  it('stops when the command was killed or cannot be started', () =>
    withFolder(async (folder) => {
      const script = "process.kill(process.pid, 'SIGKILL')"
      const served = ['serve', '--store', 'memory', '--']
      const killed = await runCommand({ folder }, ...served, process.execPath, '-e', script)
      expect(killed).toEqual({ code: 137, stdout: '', stderr: '' })
      const missing = await runCommand({ folder }, ...served, './none-such')
      expect(missing).toMatchObject({ code: 127, stderr: 'error: ./none-such was not found\n' })
    }))

  it('ends with 2 when the store is another file, and leaves it unchanged', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'notdb.db'), 's3cret, and more than sixteen bytes')
      const { code, stderr } = await runCommand({ folder }, 'serve', '--store', 'sqlite:notdb.db')
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: notdb\.db is not a SQLite file\n/)
      expect(readFileSync(join(folder, 'notdb.db'), 'utf8')).toMatch(/^s3cret/)
    }))

  it('proposes a longer token when other machines can connect', () =>
    withFolder(async (folder) => {
      const flags = ['--token', 's3cret', '--host', '0.0.0.0']
      const { stderr } = await runCommand({ folder }, 'serve', ...flags)
      expect(stderr).toMatch(/, or pass a longer one: cofferkit token prints one\.\n$/)
    }))

  it('ends with 2 when the port is in use', () =>
    withFolder(async (folder) => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const port = String(Object(server.address()).port)
      const { code, stderr } = await runCommand({ folder }, 'serve', '--port', port)
      server.close()
      expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
        code: 2,
        stderr: `error: port ${port} is already in use`,
      })
    }))

  it('ends with 2 when the seed is invalid, and names the path', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'a.json'), '{"vaults":[{"name":7}]}')
      writeFileSync(join(folder, 'b.json'), '{"s3cret"')
      const invalid = await runCommand({ folder }, 'serve', '--seed', 'a.json')
      expect(invalid).toMatchObject({
        code: 2,
        stderr: 'error: a.json: vaults/0/name must be a string\n',
      })
      const broken = await runCommand({ folder }, 'serve', '--seed', 'b.json')
      expect(broken).toMatchObject({
        code: 2,
        stderr: 'error: b.json is not JSON: line 1, column 10\n',
      })
    }))

  it('ends with 1 and lines without the message when there is a bug', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'bug.mjs'), "Object.entries = () => { throw new Error('s3cret') }")
      const { code, stderr } = await runCommand({ folder }, 'serve', '--store', './bug.mjs')
      expect(code).toBe(1)
      expect(stderr).toMatch(/^This is a bug in cofferkit: Error\n +at /m)
      expect(stderr).not.toContain('s3cret')
    }))
})

/** Runs `serve` without `--json`, sends one request, and returns the output. */
async function runAndStop(
  folder: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return startScreen({ folder, env }, ['serve', ...parameters], async (text) => {
    const [, origin] = /OP_CONNECT_HOST=(\S+)/.exec(text) ?? []
    expect((await fetch(`${origin}/heartbeat`)).status).toBe(200)
  })
}
