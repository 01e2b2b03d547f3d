import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../examples/demo/listen.js'
import { tour } from '../../examples/demo/tour.js'
import { type DemoVault, startVault } from '../../examples/demo/vault.js'
import { routes } from '../../src/http/routes.js'
import type { Item, ItemSummary } from '../../src/index.js'
import { programPath } from '../../tools/scripts/integrations.js'
import { exampleOutputs, visitOutput } from '../support/source/example-outputs.js'
import { plainEnv, startProgram } from './support/source/program.js'
import { createShell } from './support/source/shell.js'

describe('examples', () => {
  it.each(Object.entries(exampleOutputs))(
    '%s exits with 0 and prints the expected output',
    async (file, output) => {
      const { code, stdout, stderr } = await startProgram(`examples/${file}`).ended
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(output)
    },
  )

  it('elysia.ts exits with 0 on Bun and prints the expected output', async () => {
    const env = plainEnv()
    const bun = promisify(execFile)(programPath('bun'), ['run', 'examples/elysia.ts'], { env })
    const { stdout, stderr } = await bun
    expect(stderr).toBe('')
    expect(stdout).toMatch(visitOutput)
  })
})

describe('npm run demo', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('gets four successes, one error of each kind, and the item after a restart', async () => {
    const { code, stdout, stderr } = await startProgram('examples/demo/run.ts').ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const statuses = [...stdout.matchAll(/^ {3}← (\d{3}) /gm)].map(([, status]) => Number(status))
    expect(statuses).toEqual([200, 200, 200, 200, 401, 403, 404, 413, 200])
    expect(stdout).toContain('9 of 9 responses')
    expect(stdout).toContain('After the restart the item is unchanged')
    expect(stdout).toContain('The published client made 8 calls')
    expect(stdout).toContain("encrypted in the vault's file")
  })

  it('prints no field value, token, file content or colour', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line))
    const folder = newFolder()
    const start = async (): Promise<DemoVault> => {
      vaults.push(await startVault(0, folder))
      return vaults.at(-1) as DemoVault
    }
    const vaults: DemoVault[] = []
    expect(await tour(start)).toBe(true)
    const vault = await start()
    try {
      const values = (await itemsOf(vault)).flatMap(({ fields }) =>
        fields.map(({ value }) => value),
      )
      const tokens = vaults.flatMap((each) => Object.values(each.tokens))
      const secrets = [...values, ...tokens, btoa('7391-2046\n5580-1127\n')]
      expect(values).toContain('4711')
      expect(values.filter((value) => value?.length === 24)).toHaveLength(1)
      const output = lines.join('\n')
      for (const secret of secrets) expect(output).not.toContain(secret)
      expect(output.match(/"(value|content)": (?!"•{8}")/)).toBeNull()
      expect(output).not.toContain('\u001b')
    } finally {
      await vault.close()
    }
  })

  it('finds its data after a restart', async () => {
    const folder = newFolder()
    const {
      tokens: _,
      origin: __,
      clientOrigin: ___,
      close,
      ...before
    } = await startVault(0, folder)
    await close()
    const again = await startVault(0, folder)
    await again.close()
    expect(again).toMatchObject(before)
  })

  it('uses a free port when its own is taken', async () => {
    const first = await listen(() => undefined, 0)
    const second = await listen(() => undefined, Number(new URL(first.origin).port))
    expect(second.origin).not.toBe(first.origin)
    first.close()
    second.close()
  })

  it('rejects an invalid port', async () => {
    const { code, stderr } = await startProgram('examples/demo/run.ts', '--port', '70000').ended
    expect(code).toBe(1)
    expect(stderr).toContain('--port must be 0 to 65535')
  })
})

describe('npm run demo -- --serve', () => {
  it('prints a working curl command for each route and stops on SIGINT', async () => {
    const parameters = ['--serve', '--port', '0', '--folder', newFolder()]
    const demo = startProgram('examples/demo/run.ts', ...parameters)
    const shell = createShell()
    onTestFinished(() => {
      demo.kill()
      shell.close()
    })
    const output = await demo.printed('Press Ctrl+C to stop.')
    const offers = [...output.matchAll(/^# (\w+), .*: (\d{3})\n(curl .*)$/gm)]
    expect(offers.map(([, operation]) => operation)).toEqual(routes.map((route) => route.operation))
    for (const [, operation, status, line = ''] of offers) {
      expect(`${operation} ${shell.paste(line)}`).toMatch(
        new RegExp(`^${operation} HTTP/1.1 ${status} `),
      )
    }
    process.kill(demo.pid, 'SIGINT')
    const { code, stdout, stderr } = await demo.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.endsWith('Stopped.\n')).toBe(true)
  })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function itemsOf({ origin, vaultId, tokens }: DemoVault): Promise<Item[]> {
  const headers = { authorization: `Bearer ${tokens.reader}` }
  const items = `${origin}/v1/vaults/${vaultId}/items`
  const summaries: ItemSummary[] = await (await fetch(items, { headers })).json()
  return Promise.all(
    summaries.map(async ({ id }) => (await fetch(`${items}/${id}`, { headers })).json()),
  )
}
