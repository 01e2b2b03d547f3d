import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { databaseReference, databaseSeed } from '../support/command/database-seed.js'
import { commandText, runCommand, startServe, withFolder } from '../support/command/run-command.js'

const seed = {
  vaults: [
    {
      name: 'Team',
      items: [
        {
          category: 'LOGIN',
          title: 'Data base',
          fields: [{ id: 'password', purpose: 'PASSWORD', value: 's3cret' }],
          files: [{ name: 'ca.pem', content: 'PEM\n' }],
        },
        { category: 'SECURE_NOTE', title: 'twice' },
        { category: 'SECURE_NOTE', title: 'twice' },
      ],
    },
  ],
}
const reference = 'op://Team/Data base/password'

describe.each(['store', 'server'])('read, inject and run on a %s', (kind) => {
  it('resolve references', () =>
    withSource(kind, async (folder, env) => {
      const run = (...parameters: readonly string[]) => runCommand({ folder, env }, ...parameters)
      expect(await run('read', reference)).toEqual({ code: 0, stdout: 's3cret\n', stderr: '' })
      expect((await run('read', '--no-newline', reference)).stdout).toBe('s3cret')
      expect((await run('read', 'op://team/DATA BASE/ca.pem')).stdout).toBe('PEM\n\n')

      writeFileSync(join(folder, 'template'), `a: {{ ${reference} }}\nb: {{ c }}\n`)
      expect((await run('inject', 'template')).stdout).toBe('a: s3cret\nb: {{ c }}\n')
      expect(await run('inject', 'template', '--out', 'result')).toMatchObject({ stdout: '' })
      expect(readFileSync(join(folder, 'result'), 'utf8')).toBe('a: s3cret\nb: {{ c }}\n')
      expect(statSync(join(folder, 'result')).mode & 0o777).toBe(0o600)
      expect(await run('inject', 'template', '--out', 'result')).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: result already exists\nName another file with --out.\n',
      })
      const input = `{{ ${reference} }}`
      expect((await runCommand({ folder, env, input }, 'inject', '-')).stdout).toBe('s3cret')

      const script = 'console.log(process.env.PASSWORD); process.exit(7)'
      const conditions = { folder, env: { ...env, PASSWORD: reference } }
      const ended = await runCommand(conditions, 'run', '--', process.execPath, '-e', script)
      expect(ended).toEqual({ code: 7, stdout: 's3cret\n', stderr: '' })
    }))

  it('end with 2 and the reference when it cannot be resolved', () =>
    withSource(kind, async (folder, env) => {
      const inStore = ' (in SQLite file cofferkit.db; OP_CONNECT_HOST is not set)'
      const place = kind === 'store' ? inStore : ''
      for (const [text, message] of [
        ['op://Team/none/password', 'op://Team/none/password: item not found'],
        ['op://none/none/password', 'op://none/none/password: vault not found'],
        ['op://Team/Data base/none', 'op://Team/Data base/none: field not found'],
        ['op://Team/twice/x', 'op://Team/twice/x: the name of the item is ambiguous: use its id'],
      ] as const) {
        const { code, stdout, stderr } = await runCommand({ folder, env }, 'read', text)
        expect({ code, stdout, stderr }).toEqual({
          code: 2,
          stdout: '',
          stderr: `error: ${message}${message.endsWith('not found') ? place : ''}\n`,
        })
      }
      const marker = join(folder, 'was-run')
      const conditions = { folder, env: { ...env, PASSWORD: 'op://Team/none/password' } }
      const script = `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`
      const refused = await runCommand(conditions, 'run', '--', process.execPath, '-e', script)
      expect(refused.code).toBe(2)
      expect(existsSync(marker)).toBe(false)
    }))
})

/** Prints the variables that would read other secrets, and one that is the user's. */
const showOwn =
  'console.log(JSON.stringify(Object.entries(process.env).filter(([name]) => ' +
  '/^(?:COFFERKIT_|OP_CONNECT_|MINE$)/.test(name)).sort()))'

describe('run', () => {
  it.each(['store', 'server'])('hands its own %s, token and key file to no command', (kind) =>
    withSource(kind, async (folder, env) => {
      const own = {
        ...(kind === 'store' && { COFFERKIT_STORE: 'sqlite:cofferkit.db' }),
        ...{ COFFERKIT_TOKEN: 'chosen-by-the-user', COFFERKIT_KEY_FILE: '' },
      }
      const conditions = { folder, env: { ...own, ...env, MINE: reference, PORT: '80' } }
      const command = ['run', '--no-mask', '--', process.execPath, '-e', showOwn]
      const { code, stdout } = await runCommand(conditions, ...command)
      expect([code, JSON.parse(stdout)]).toEqual([0, [['MINE', 's3cret']]])
    }),
  )

  it('hands on a token that is a reference', () =>
    withSource('store', async (folder) => {
      const env = { OP_CONNECT_TOKEN: reference, COFFERKIT_TOKEN: reference }
      const command = ['run', '--no-mask', '--', process.execPath, '-e', showOwn]
      expect(JSON.parse((await runCommand({ folder, env }, ...command)).stdout)).toEqual([
        ['COFFERKIT_TOKEN', 's3cret'],
        ['OP_CONNECT_TOKEN', 's3cret'],
      ])
    }))

  const value = 'correct horse/battery'
  const echo = [
    'const { PASSWORD, PORT } = process.env; const text = JSON.stringify({ PASSWORD, PORT })',
    'process.stdout.write(text.slice(0, 20)); setTimeout(() => console.log(text.slice(20)), 100)',
    'console.error(encodeURIComponent(PASSWORD), process.stdout.isTTY, process.stderr.isTTY)',
  ].join('\n')
  const masked = { code: 0, stdout: '{"PASSWORD":"[secret]","PORT":"80"}\n' }

  it('masks the values in its output in a pipe and in a file', () =>
    withLongSecret(value, async (conditions) => {
      const command = ['run', '--', process.execPath, '-e', echo]
      const stderr = '[secret] undefined undefined\n'
      expect(await runCommand(conditions, ...command)).toEqual({ ...masked, stderr })
      const quoted = commandText(
        'run',
        '--',
        process.execPath,
        '-e',
        'console.log(process.env.PASSWORD)',
      )
      const { status } = spawnSync('sh', ['-c', `${quoted} > out 2>&1`], {
        cwd: conditions.folder,
        env: { ...process.env, ...conditions.env },
      })
      expect(status).toBe(0)
      expect(readFileSync(join(conditions.folder, 'out'), 'utf8')).toBe('[secret]\n')
    }))

  it('masks nothing with --no-mask, and ends with 127 when the command does not exist', () =>
    withLongSecret(value, async (conditions) => {
      const command = [process.execPath, '-e', 'console.log(process.env.PASSWORD)']
      const shown = await runCommand(conditions, 'run', '--no-mask', '--', ...command)
      expect(shown).toEqual({ code: 0, stdout: `${value}\n`, stderr: '' })
      const missing = await runCommand(conditions, 'run', '--', './none-such')
      expect(missing).toMatchObject({ code: 127, stderr: 'error: ./none-such was not found\n' })
    }))

  it('gives its command the terminal, without masks, unless --mask is passed', () =>
    withLongSecret(value, async ({ folder, env }) => {
      const show = 'console.log(process.env.PASSWORD, String(process.stdout.isTTY))'
      for (const [flags, expected] of [
        [[], `${value} true`],
        [['--mask'], '[secret] undefined'],
      ] as const) {
        const text = commandText('run', ...flags, '--', process.execPath, '-e', show)
        const { stdout } = spawnSync('script', ['-qec', text, '/dev/null'], {
          cwd: folder,
          env: { ...process.env, ...env },
          encoding: 'utf8',
        })
        expect(stdout.trim()).toBe(expected)
      }
    }))

  it('passes a large output on completely', () =>
    withLongSecret(value, async (conditions) => {
      const script = "process.stdout.write('x'.repeat(3_000_000) + process.env.PASSWORD)"
      const { stdout } = await runCommand(conditions, 'run', '--', process.execPath, '-e', script)
      expect(stdout.length).toBe(3_000_000 + '[secret]'.length)
    }))

  it('ends with 127 when the command does not exist, 126 when it cannot be run, and 128 and more after a signal', () =>
    withSource('store', async (folder) => {
      const missing = await runCommand({ folder }, 'run', '--', './none-such')
      expect(missing).toMatchObject({ code: 127, stderr: 'error: ./none-such was not found\n' })
      const refused = await runCommand({ folder }, 'run', '--', './seed.json')
      expect(refused).toMatchObject({ code: 126, stderr: /cannot be started: EACCES/ })
      const script = "process.kill(process.pid, 'SIGKILL')"
      const killed = await runCommand({ folder }, 'run', '--', process.execPath, '-e', script)
      expect(killed.code).toBe(137)
    }))
})

describe('read from a server', () => {
  it.each([
    [{ OP_CONNECT_HOST: 'http://127.0.0.1:9' }, /OP_CONNECT_TOKEN is not set/],
    [{ OP_CONNECT_HOST: 's3cret', OP_CONNECT_TOKEN: 'a' }, /OP_CONNECT_HOST must be a URL/],
  ])('ends with 2 when the environment is %j', (env, message) =>
    withFolder(async (folder) => {
      const { code, stderr } = await runCommand({ folder, env }, 'read', reference)
      expect(code).toBe(2)
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('s3cret')
    }),
  )

  it('ends with 2 when the server does not respond', () =>
    withFolder(async (folder) => {
      const host = `http://127.0.0.1:${await freePort()}`
      const env = { OP_CONNECT_HOST: host, OP_CONNECT_TOKEN: 'a' }
      const { code, stderr } = await runCommand({ folder, env }, 'read', reference)
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: ${host}: connection refused: is the server running?\n`,
      })
    }))

  it('ends with 2 and names http when the server does not speak https', () =>
    withSource('server', async (folder, env) => {
      const host = String(env['OP_CONNECT_HOST']).replace(/\/$/, '')
      const https = { ...env, OP_CONNECT_HOST: host.replace('http:', 'https:') }
      const { code, stderr } = await runCommand({ folder, env: https }, 'read', reference)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: https:\S+ does not speak https\n/)
      expect(stderr).toContain(`set OP_CONNECT_HOST to ${host}`)
    }))

  it('ends with 2 when the server rejects the token', () =>
    withSource('server', async (folder, env) => {
      const wrong = { ...env, OP_CONNECT_TOKEN: 's3cret-token' }
      const { code, stderr } = await runCommand({ folder, env: wrong }, 'read', reference)
      expect(code).toBe(2)
      expect(stderr).toMatch(/rejects the token\nSet OP_CONNECT_TOKEN/)
      expect(stderr).not.toContain('s3cret')
    }))
})

/** Calls `work` with a store and an environment whose variable PASSWORD refers to a value. */
async function withLongSecret(
  value: string,
  work: (conditions: { folder: string; env: Record<string, string> }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(databaseSeed(value)))
    await runCommand({ folder }, 'seed', 'seed.json')
    await work({ folder, env: { PASSWORD: databaseReference, PORT: '80' } })
  })
}

/** Calls `work` with the environment that selects a store, or a server without extensions. */
async function withSource(
  kind: string,
  work: (folder: string, env: Record<string, string>) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    if (kind === 'store') {
      await runCommand({ folder }, 'seed', 'seed.json')
      return work(folder, {})
    }
    const flags = ['--store', 'memory', '--seed', 'seed.json', '--no-extensions']
    const served = await startServe({ folder }, ...flags)
    const { origin, token = '' } = served.state
    try {
      await work(folder, { OP_CONNECT_HOST: `${origin}/`, OP_CONNECT_TOKEN: token })
    } finally {
      await served.stop()
    }
  })
}
