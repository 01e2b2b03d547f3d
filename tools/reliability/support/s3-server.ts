/** An S3-compatible service on loopback: the gateway of a Ceph cluster of one machine, in memory. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endProcess, freePort } from './server-process.js'

/** A running service. */
export interface S3Server {
  /** Such as `http://127.0.0.1:41234`. A bucket is a path of it. */
  readonly origin: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** True if Debian's packages `ceph-mon`, `ceph-osd` and `radosgw` are installed. */
export const hasS3Server = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph'].every((name) =>
  existsSync(`/usr/bin/${name}`),
)

const clusterId = '11111111-2222-4333-8444-555555555555'
const diskId = '22222222-2222-4333-8444-555555555555'
const maxStartMs = 60_000

/**
 * Starts an empty cluster with a monitor, a disk in memory, and the gateway. The cluster ends with
 * this process.
 * @throws Error if Ceph is not installed or does not start.
 */
export async function startS3Server(): Promise<S3Server> {
  if (!hasS3Server) throw new Error('Ceph is not installed: ceph-mon, ceph-osd, radosgw')
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-ceph-'))
  const [monitorPort, gatewayPort] = [await freePort(), await freePort()]
  const config = join(folder, 'ceph.conf')
  writeFileSync(config, configFile(folder, monitorPort))
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name))
  const daemons: ChildProcess[] = []
  const run = (program: string, ...parameters: readonly string[]): Promise<string> =>
    runToEnd(program, ['-c', config, ...parameters])
  const startDaemon = (program: string, ...parameters: readonly string[]): void => {
    const options = { stdio: 'ignore' } as const
    daemons.push(spawn(program, ['-c', config, '-f', ...parameters], options))
  }
  const endWithProcess = (): void => {
    for (const daemon of daemons) daemon.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithProcess)
  const stop = async (): Promise<void> => {
    process.off('exit', endWithProcess)
    await Promise.all(daemons.map((daemon) => endProcess(daemon, 'SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  }
  const keys = { accessKeyId: 'test', secretAccessKey: 'test-secret-of-the-gateway' }
  try {
    const map = join(folder, 'monmap')
    const address = `[v2:127.0.0.1:${monitorPort}]`
    const mapParameters = ['--create', '--fsid', clusterId, '--addv', 'a', address, map]
    await runToEnd('monmaptool', mapParameters)
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
    startDaemon('ceph-mon', '-i', 'a')
    await run('ceph', 'osd', 'new', diskId)
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', diskId)
    startDaemon('ceph-osd', '-i', '0')
    const user = ['--uid', 'test', '--display-name', 'test', '--access-key', keys.accessKeyId]
    await run('radosgw-admin', 'user', 'create', ...user, '--secret', keys.secretAccessKey)
    const frontend = `beast endpoint=127.0.0.1:${gatewayPort}`
    startDaemon('radosgw', '-n', 'client.rgw', '--rgw-frontends', frontend)
    const origin = `http://127.0.0.1:${gatewayPort}`
    await waitUntilItResponds(origin)
    return { origin, ...keys, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function configFile(folder: string, port: number): string {
  const lines = [
    '[global]',
    `fsid = ${clusterId}`,
    `mon host = [v2:127.0.0.1:${port}/0]`,
    ...['cluster', 'service', 'client'].map((name) => `auth ${name} required = none`),
    // Without authentication there is no encryption, which the gateway requires by default.
    'ms mon client mode = crc',
    'public addr = 127.0.0.1',
    'cluster addr = 127.0.0.1',
    'ms bind ipv6 = false',
    `run dir = ${folder}`,
    `admin socket = ${folder}/$name.asok`,
    `log file = ${folder}/$name.log`,
    `mon cluster log file = ${folder}/cluster.log`,
    `mon data = ${folder}/mon`,
    `osd data = ${folder}/osd`,
    // Does not stop on a machine whose disk is almost full: only the monitor uses it.
    'mon data avail crit = 1',
    'osd objectstore = memstore',
    'memstore device bytes = 2147483648',
    'osd pool default size = 1',
    'osd pool default min size = 1',
    'osd pool default pg num = 1',
    'osd pool default pgp num = 1',
    'osd pool default pg autoscale mode = off',
    'osd crush chooseleaf type = 0',
    'mon allow pool size one = true',
    // Creating the pools takes seconds with the defaults.
    'paxos propose interval = 0.01',
    'paxos min wait = 0.01',
    'rgw thread pool size = 32',
  ]
  return `${lines.join('\n')}\n`
}

function runToEnd(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'] })
  const timer = setTimeout(() => child.kill('SIGKILL'), maxStartMs)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      if (code === 0) resolve(output)
      else reject(new Error(`${program} ended with ${code}: ${output}`))
    })
  })
}

async function waitUntilItResponds(origin: string): Promise<void> {
  const end = performance.now() + maxStartMs
  while (
    !(await fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > end) throw new Error('the gateway does not respond')
    await pause(50)
  }
}
