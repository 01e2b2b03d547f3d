/**
 * A bad week of an operator, with nothing but the command: `serve` with tokens, a stored log and
 * history, while programs go on to use it over HTTP.
 *
 * 1. A backup under load. The server is killed, its files are lost, and the backup is restored.
 * 2. One byte is flipped in each kind of record. `doctor --deep` names each, and the rest works.
 * 3. The key file is replaced and all data keys rotated, while a process that was forgotten goes on
 *    with the former key. In the end, everything opens with the new key alone.
 * 4. The store moves from SQLite to PostgreSQL under load.
 * 5. Two servers behind a load balancer are restarted one after the other, under load.
 * 6. A token leaks. What it read is listed with one command, and it is revoked.
 *
 * After each step, everything that was acknowledged is read back.
 *
 * `npm run prove -- drill [--short] [--items 10000] [--restarts 22]`. The short form has 120 items
 * and 4 restarts.
 */

import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startBalancer } from './drill/balancer.js'
import {
  type Acknowledged,
  fill,
  pathOf,
  readBack,
  send,
  startWriters,
  type Target,
} from './drill/clients.js'
import { type DamagedRow, damageBlob, damageRecord, findRecord } from './drill/damage.js'
import { createOperator, type RunningServer } from './support/operator.js'
import { startPostgres } from './support/postgres-server.js'
import { runProgram } from './support/server-process.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    items: { type: 'string' },
    restarts: { type: 'string' },
  },
})
const itemCount = Number(values.items ?? (values.short ? 120 : 10_000))
const restarts = Number(values.restarts ?? (values.short ? 4 : 22))

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-drill-'))
// The driver of PostgreSQL is a package of the project in the folder.
symlinkSync(
  fileURLToPath(new URL('../../node_modules', import.meta.url)),
  join(folder, 'node_modules'),
)
const operator = createOperator(folder)
const fileOf = (name: string): string => join(folder, name)
const journal: Acknowledged[] = []
const failures: string[] = []
const startedAt = performance.now()

/** The flags of every `serve` of the drill. */
const serverWords = [
  ...['--tokens', 'tokens.json', '--activity', 'store', '--history', '5'],
  ...['--trusted-proxy', '127.0.0.1', '--shutdown-delay', '1'],
]
const onSqlite = (key: string, file = 'vault.db'): string[] => [
  ...['--store', `sqlite:${file}`, '--encrypt', key],
]

const postgres = await startPostgres()
try {
  await runDrill()
} finally {
  operator.close()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
print(`${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
for (const failure of failures) print(`FAILED: ${failure}`)
if (failures.length > 0) process.exitCode = 1

async function runDrill(): Promise<void> {
  await operator.run(['keygen', 'vault.key'])
  const token = await addToken('app', '*')
  let server = await operator.serve([...onSqlite('vault.key'), ...serverWords])
  const target: Target = {
    origin: server.origin,
    token,
    vaultIds: [await createVault(server, token, 'One'), await createVault(server, token, 'Two')],
  }
  await fill(target, journal, itemCount)
  server = await restoreBackup(server, target)
  await damageEverything(server, target)
  server = await rotateKeys(server, target)
  const location = await moveToPostgres(server, target)
  const words = ['--store', location, '--encrypt', 'pg.key', ...serverWords]
  await restartUnderLoad(words, target)
  await traceLeak(words, target)
}

async function restoreBackup(running: RunningServer, target: Target): Promise<RunningServer> {
  const writers = startWriters(target, journal)
  await reached(writers, 20)
  const known = journal.map((item) => ({ item, latest: item.latest }))
  await backUp('backup.db')
  await reached(writers, writers.count() + 20)
  await running.stop('SIGKILL')
  await writers.stop()
  for (const suffix of ['', '-wal', '-shm']) rmSync(fileOf(`vault.db${suffix}`), { force: true })
  cpSync(fileOf('backup.db'), fileOf('vault.db'))
  const doctor = await operator.run(['doctor', '--deep', ...onSqlite('vault.key')])
  const server = await operator.serve([...onSqlite('vault.key'), ...serverWords])
  target.origin = server.origin
  journal.length = 0
  for (const { item, latest } of known) journal.push({ ...item, latest })
  await expectAll('backup', target)
  print(
    `backup: ${journal.length} items acknowledged before it are there, ${writers.count()} requests meanwhile, doctor --deep ${doctor.seconds.toFixed(1)} s`,
  )
  return server
}

/** Makes a consistent copy of the store while it is used. */
function backUp(copy: string): Promise<void> {
  const statement = `VACUUM INTO '${fileOf(copy)}'`
  return runProgram('sqlite3', [`file:${fileOf('vault.db')}?mode=rw`, statement], {})
}

async function damageEverything(server: RunningServer, target: Target): Promise<void> {
  const spareId = await createVault(server, target.token, 'Spare')
  const rows: { readonly kind: string; readonly collection: string }[] = [
    { kind: 'a vault', collection: 'vaults' },
    { kind: 'an item', collection: `items/${target.vaultIds[0]}` },
    { kind: 'a version', collection: `versions/${target.vaultIds[0]}` },
    { kind: 'a log entry', collection: 'activity' },
    { kind: 'a key ring', collection: 'keys' },
  ]
  const table: Record<string, string | number>[] = []
  for (const { kind, collection } of [...rows, { kind: 'a file', collection: '' }]) {
    const copy = `damaged-${table.length}.db`
    await backUp(copy)
    const name = damageOne(fileOf(copy), kind, collection, spareId, target)
    const doctor = await operator.attempt(['doctor', '--deep', ...onSqlite('vault.key', copy)])
    if (doctor.code !== 2 || !doctor.stdout.includes(name))
      failures.push(`doctor --deep does not name ${kind}, ${name}: ${doctor.stdout}`)
    const damaged = await operator.serve([...onSqlite('vault.key', copy), ...serverWords])
    const { read, wrong } = await readBack({ ...target, origin: damaged.origin }, [...journal])
    await damaged.stop('SIGTERM')
    const allowed = { 'an item': 1, 'a file': 1, 'a key ring': read / 2 + 1 }[kind] ?? 0
    if (wrong.length > allowed) failures.push(`${kind}: ${wrong.length} items cannot be read`)
    table.push({
      'one byte in': kind,
      'named by': 'doctor --deep',
      seconds: doctor.seconds.toFixed(1),
      'items that work': read - wrong.length,
      'that do not': wrong.length,
    })
  }
  printTable(table)
}

/** Damages one record, and returns the name that `doctor` has for it. */
function damageOne(
  file: string,
  kind: string,
  collection: string,
  spareId: string,
  target: Target,
): string {
  if (kind === 'a file') return damageBlob(file)
  const [ringId = ''] = target.vaultIds
  const chosen: Readonly<Record<string, DamagedRow>> = {
    'a vault': { collection, id: spareId },
    'a key ring': { collection, id: ringId },
  }
  const row = chosen[kind] ?? findRecord(file, collection)
  damageRecord(file, row)
  return row.id
}

async function rotateKeys(running: RunningServer, target: Target): Promise<RunningServer> {
  const forgotten = await operator.serve([...onSqlite('vault.key'), ...serverWords])
  await operator.run(['keygen', 'new.key'])
  await running.stop('SIGTERM')
  const replace = ['rotate', ...onSqlite('vault.key'), '--new-key', 'new.key']
  const writers = startWriters({ ...target, origin: forgotten.origin }, journal)
  const first = await operator.attempt(replace)
  // The forgotten process makes a key ring with the former key.
  const lateId = await createVault(forgotten, target.token, 'Late')
  await reached(writers, writers.count() + 10)
  await writers.stop()
  await forgotten.stop('SIGTERM')
  const second = await operator.run(replace)
  let server = await operator.serve([...onSqlite('new.key'), ...serverWords])
  target.origin = server.origin
  const response = await send(target, 'GET', `/v1/vaults/${lateId}`)
  if (!response.ok) failures.push(`the vault of the forgotten process: ${response.status}`)
  const others = startWriters(target, journal)
  await operator.run(['rotate', ...onSqlite('new.key')])
  await operator.run(['reencrypt', ...onSqlite('new.key')])
  await others.stop()
  await server.stop('SIGTERM')
  const doctor = await operator.attempt(['doctor', '--deep', ...onSqlite('new.key')])
  if (doctor.code !== 0) failures.push(`after the rotation: ${doctor.stdout}`)
  server = await operator.serve([...onSqlite('new.key'), ...serverWords])
  target.origin = server.origin
  const unreadable = await expectAll('rotation', target)
  const failed = others.failures.length
  if (failed > 0) failures.push(`rotation: ${JSON.stringify(others.failures.slice(0, 3))}`)
  print(
    `rotation: ${unreadable} of ${journal.length} records unreadable with the new key alone; the runs ended with ${first.code} and ${second.code}; ${failed} failed requests while the data keys were rotated`,
  )
  return server
}

async function moveToPostgres(running: RunningServer, target: Target): Promise<string> {
  await operator.run(['keygen', 'pg.key'])
  const location = `${postgres.url}?schema=vaults`
  const words = [
    ...['copy', '--from', 'sqlite:vault.db', '--from-encrypt', 'new.key'],
    ...['--to', location, '--to-encrypt', 'pg.key'],
  ]
  const writers = startWriters(target, journal)
  const whole = await operator.run(words)
  const again = await operator.run(words)
  await writers.stop()
  const stoppedAt = performance.now()
  await running.stop('SIGTERM')
  const last = await operator.attempt([...words, '--last'])
  const stopped = (performance.now() - stoppedAt) / 1000
  if (last.code !== 0) failures.push(`the stores differ: ${last.stdout} ${last.stderr}`)
  const server = await operator.serve(['--store', location, '--encrypt', 'pg.key', ...serverWords])
  target.origin = server.origin
  const differences = await expectAll('copy', target)
  await server.stop('SIGTERM')
  print(
    `copy: ${differences} differences in ${journal.length} items, ${whole.seconds.toFixed(1)} s under load and ${again.seconds.toFixed(1)} s again, writers stopped for ${stopped.toFixed(1)} s`,
  )
  return location
}

async function restartUnderLoad(words: readonly string[], target: Target): Promise<void> {
  const balancer = await startBalancer()
  const servers = [await operator.serve(words), await operator.serve(words)]
  for (const { origin } of servers) await balancer.add(origin)
  target.origin = balancer.origin
  const writers = startWriters(target, journal, 4)
  for (let restart = 0; restart < restarts; restart++) {
    const former = servers.shift()
    await former?.stop('SIGTERM')
    if (former) balancer.remove(former.origin)
    const next = await operator.serve(words)
    await balancer.add(next.origin)
    servers.push(next)
  }
  await writers.stop()
  await expectAll('restarts', target)
  balancer.close()
  for (const server of servers) await server.stop('SIGTERM')
  const [failure] = writers.failures
  if (failure !== undefined) failures.push(`restarts: ${JSON.stringify(failure)}`)
  print(
    `restarts: ${restarts} under load, ${writers.failures.length} of ${writers.count()} requests failed`,
  )
}

async function traceLeak(words: readonly string[], target: Target): Promise<void> {
  const [vaultId = ''] = target.vaultIds
  const leaked = await addToken('ci', `${vaultId}=read`)
  const server = await operator.serve(words)
  target.origin = server.origin
  const thief = { origin: server.origin, token: leaked }
  const from = { 'x-forwarded-for': '203.0.113.9' }
  const stolen = journal.filter((item) => item.vaultId === vaultId).slice(0, 7)
  for (const item of stolen) await send(thief, 'GET', pathOf(item), undefined, from)
  const other = journal.find((item) => item.vaultId !== vaultId)
  const denied = other && (await send(thief, 'GET', pathOf(other), undefined, from))
  if (denied?.status !== 403) failures.push(`another vault: ${denied?.status}`)
  const [store = '', location = '', encrypt = '', key = ''] = words
  const query = ['activity', store, location, encrypt, key, '--caller', 'ci', '--since', '1h']
  const traced = await operator.run([...query, '--limit', 'all', '--json'])
  const entries = traced.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const read = entries.filter(({ result }) => result === 'SUCCESS')
  const ids = read.map(({ resource }) => resource.item?.id).sort()
  const expected = stolen.map(({ itemId }) => itemId).sort()
  if (JSON.stringify(ids) !== JSON.stringify(expected)) failures.push(`traced: ${ids}`)
  if (!entries.every(({ actor }) => (actor.requestIp ?? actor.ip) === '203.0.113.9'))
    failures.push('the log does not name the address of the thief')
  await operator.run(['token', '--tokens', 'tokens.json', '--revoke', '-'], { input: leaked })
  const revokedAt = performance.now()
  while ((await send(thief, 'GET', `/v1/vaults/${vaultId}`)).status !== 401) await pause(5)
  const milliseconds = Math.round(performance.now() - revokedAt)
  if ((await send(target, 'GET', `/v1/vaults/${vaultId}`)).status !== 200)
    failures.push('another token was revoked')
  await server.stop('SIGTERM')
  print(
    `leak: ${ids.length} reads and ${entries.length - read.length} refusal traced in ${traced.seconds.toFixed(1)} s, revoked within ${milliseconds} ms`,
  )
}

/** Reads everything back, and returns the number of items that are wrong. */
async function expectAll(step: string, target: Target): Promise<number> {
  const { wrong } = await readBack(target, journal)
  const [first] = wrong
  if (first !== undefined)
    failures.push(`${step}: ${wrong.length} items are wrong, such as ${pathOf(first)}`)
  return wrong.length
}

/** Resolves when the programs have sent this many requests. */
async function reached(writers: { count(): number }, count: number): Promise<void> {
  while (writers.count() < count) await pause(10)
}

async function addToken(id: string, vault: string): Promise<string> {
  const words = ['token', '--tokens', 'tokens.json', '--add', id, '--vault', vault, '--json']
  const { token }: { token: string } = JSON.parse((await operator.run(words)).stdout)
  return token
}

async function createVault(
  { origin }: RunningServer,
  token: string,
  name: string,
): Promise<string> {
  const response = await send({ origin, token }, 'POST', '/v1/vaults', { name })
  if (!response.ok) throw new Error(`the vault was not created: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}
