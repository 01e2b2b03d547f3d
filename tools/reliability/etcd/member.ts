/** A member of an etcd cluster in a network namespace of its own. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { etcdProgram } from '../support/etcd-server.js'
import { endProcess } from '../support/server-process.js'

/** A member that is running or was killed. */
export interface Member {
  readonly name: string
  /** The origin of its gateway. */
  readonly endpoint: string
  /** The id of its process. */
  pid(): number
  /** Starts it. Its monotonic clock is ahead of that of the machine by so many seconds. */
  start(offsetSeconds?: number): void
  /** Kills it with SIGKILL. Resolves with the signal that has ended it. */
  kill(): Promise<NodeJS.Signals | null>
  /** Runs a program in its network namespace. */
  run(...command: readonly string[]): string
}

/** The location of a member. */
export interface MemberOptions {
  /** 1 or more. */
  readonly number: number
  readonly count: number
  readonly folder: string
}

const subnet = '10.77.0'
const bridge = 'br0'

/** The address of a member. */
export function addressOf(number: number): string {
  return `${subnet}.${number}`
}

/** Creates a bridge in the network namespace of this process. */
export function createBridge(): void {
  runProgram('ip', 'link', 'set', 'lo', 'up')
  runProgram('ip', 'link', 'add', bridge, 'type', 'bridge')
  runProgram('ip', 'address', 'add', `${addressOf(100)}/24`, 'dev', bridge)
  runProgram('ip', 'link', 'set', bridge, 'up')
}

/**
 * Creates the network namespace of a member, connected to the bridge. A sleeping process keeps the
 * namespace while the member is dead.
 */
export async function createMember({ number, count, folder }: MemberOptions): Promise<Member> {
  const name = `m${number}`
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' })
  const ownNamespace = readNamespace('self')
  while (readNamespace(holder.pid) === ownNamespace) await pause(5)
  const enter = ['nsenter', '-t', String(holder.pid), '-n']
  const run = (...command: readonly string[]): string => runProgram(...enter, ...command)
  runProgram(
    ...['ip', 'link', 'add', name, 'type', 'veth'],
    ...['peer', 'name', 'eth0', 'netns', String(holder.pid)],
  )
  runProgram('ip', 'link', 'set', name, 'master', bridge, 'up')
  run('ip', 'address', 'add', `${addressOf(number)}/24`, 'dev', 'eth0')
  run('ip', 'link', 'set', 'eth0', 'up')
  run('ip', 'link', 'set', 'lo', 'up')

  const endpoint = `http://${addressOf(number)}:2379`
  const etcd = [etcdProgram() ?? 'etcd', ...flagsOf(number, count, folder)]
  const log = openSync(join(folder, `${name}.log`), 'a')
  let child: ChildProcess | undefined
  return {
    name,
    endpoint,
    run,
    pid: () => child?.pid ?? 0,
    start(offsetSeconds = 0) {
      const clock = ['--monotonic', String(offsetSeconds), '--boottime', String(offsetSeconds)]
      const inClock = offsetSeconds === 0 ? [] : ['unshare', '--time', ...clock]
      const [program = '', ...parameters] = [...enter, ...inClock, ...etcd]
      child = spawn(program, parameters, { stdio: ['ignore', log, log] })
    },
    async kill() {
      if (child !== undefined) await endProcess(child, 'SIGKILL')
      return child?.signalCode ?? null
    },
  }
}

function flagsOf(number: number, count: number, folder: string): string[] {
  const nameOf = (other: number): string => `m${other}`
  const peer = (other: number): string => `http://${addressOf(other)}:2380`
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const client = `http://${addressOf(number)}:2379`
  return [
    ...['--name', nameOf(number), '--data-dir', join(folder, nameOf(number))],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer(number), '--initial-advertise-peer-urls', peer(number)],
    ...['--initial-cluster', numbers.map((other) => `${nameOf(other)}=${peer(other)}`).join(',')],
    ...['--heartbeat-interval', '50', '--election-timeout', '500'],
    ...['--logger', 'zap', '--log-level', 'error'],
  ]
}

/** Runs a program to its end, and returns its output. */
export function runProgram(...[program = '', ...parameters]: readonly string[]): string {
  return execFileSync(program, parameters, { encoding: 'utf8', stdio: 'pipe' })
}

/** The network namespace of a process; undefined before it has begun. */
function readNamespace(pid: number | undefined | 'self'): string {
  return runProgram('readlink', `/proc/${pid}/ns/net`)
}

/** The state of a process, such as `S`, or `T` if it is stopped (proc(5)). */
export function readState(pid: number): string {
  return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? ''
}
