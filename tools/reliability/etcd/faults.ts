/**
 * The faults of the nemesis. Each proves that it has happened, and that it has ended. A fault that
 * cannot be shown is an error of the proof.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../support/seeded-random.js'
import { type Cluster, canRead } from './cluster.js'
import { addressOf, type Member, readState, runProgram } from './member.js'

/** The kinds of faults. */
export type FaultKind = 'kill' | 'kill all' | 'partition' | 'pause' | 'clock skew'

/** A fault that was shown. */
export interface ShownFault {
  readonly kind: FaultKind
  /** True if the leader was affected, and another member has led in a later term. */
  readonly hasNewLeader: boolean
}

/** Input of a fault. */
export interface FaultInput {
  readonly cluster: Cluster
  readonly random: SeededRandom
  /** The duration of the fault. */
  readonly holdMs: number
}

type Fault = (input: FaultInput, victim: Member) => Promise<void>

const faults: Readonly<Record<FaultKind, Fault>> = {
  kill: killMember,
  'kill all': killAll,
  partition: cutMember,
  pause: pauseMember,
  'clock skew': skewClock,
}

/** Causes a fault, of the leader in half of the cases, and resolves when it has ended. */
export async function causeFault(kind: FaultKind, input: FaultInput): Promise<ShownFault> {
  const { cluster, random } = input
  const before = await cluster.leader()
  const others = cluster.members.filter((member) => member !== before.member)
  const victim = random.percent(50) ? before.member : random.pick(others)
  await faults[kind](input, victim)
  await cluster.healthy()
  const after = await cluster.leader()
  return { kind, hasNewLeader: after.term > before.term && after.member !== before.member }
}

async function killMember({ holdMs }: FaultInput, victim: Member): Promise<void> {
  const pid = victim.pid()
  assertShown((await victim.kill()) === 'SIGKILL', 'the member was ended by SIGKILL')
  assertShown(!(await canRead(victim, 200, true)), 'the killed member does not answer')
  await pause(holdMs)
  victim.start()
  assertShown(victim.pid() !== pid, 'the member is another process')
}

async function killAll({ cluster, holdMs }: FaultInput): Promise<void> {
  const signals = await Promise.all(cluster.members.map((member) => member.kill()))
  assertShown(
    signals.every((signal) => signal === 'SIGKILL'),
    'all members were ended by SIGKILL',
  )
  for (const member of cluster.members)
    assertShown(!(await canRead(member, 200, true)), 'no member answers')
  await pause(Math.min(holdMs, 500))
  for (const member of cluster.members) member.start()
}

/**
 * Drops all packets between a member and the others, in one of three ways. Clients reach it unless
 * they are cut off, too.
 */
async function cutMember({ cluster, random, holdMs }: FaultInput, victim: Member): Promise<void> {
  const way = random.pick(['members', 'incoming', 'everything'] as const)
  const numbers = cluster.members.flatMap((member, index) => (member === victim ? [] : [index + 1]))
  const cutOff = way === 'everything' ? [...numbers, 100] : numbers
  const addresses = `{ ${cutOff.map(addressOf).join(', ')} }`
  const rules = [
    'add table inet cut',
    'add chain inet cut incoming { type filter hook input priority 0; }',
    'add chain inet cut outgoing { type filter hook output priority 0; }',
    `add rule inet cut incoming ip saddr ${addresses} counter drop`,
    ...(way === 'incoming'
      ? []
      : [`add rule inet cut outgoing ip daddr ${addresses} counter drop`]),
  ]
  victim.run('nft', rules.join('; '))
  const start = Date.now()
  try {
    const healthy = cluster.members.filter((member) => member !== victim)
    // A leader notices after an election timeout that it has lost its followers.
    await pause(Math.min(holdMs, 800))
    const [isCut, isAlive] = await Promise.all([
      canRead(victim, 700).then((answered) => !answered),
      canRead(victim, way === 'everything' ? 700 : 5000, true),
    ])
    assertShown(isCut, 'the member answers no linearizable read')
    assertShown(isAlive === (way !== 'everything'), 'clients reach the member if they should')
    // A read that began before they had elected a leader is lost, and times out.
    const answers = await Promise.all(healthy.map((member) => canReadWithin(member, 20_000)))
    assertShown(answers.every(Boolean), 'the other members answer')
    assertShown(!(await canRead(victim, 300)), 'the member is still cut off')
    const dropped = /packets ([1-9]\d*)/.test(victim.run('nft', 'list', 'table', 'inet', 'cut'))
    assertShown(dropped, 'packets were dropped')
    await pause(Math.max(0, holdMs - (Date.now() - start)))
  } finally {
    victim.run('nft', 'delete table inet cut')
  }
}

async function pauseMember({ holdMs }: FaultInput, victim: Member): Promise<void> {
  process.kill(victim.pid(), 'SIGSTOP')
  try {
    while (readState(victim.pid()) !== 'T') await pause(1)
    assertShown(!(await canRead(victim, 300, true)), 'the stopped member does not answer')
    await pause(holdMs)
    assertShown(readState(victim.pid()) === 'T', 'the member was stopped all the time')
  } finally {
    process.kill(victim.pid(), 'SIGCONT')
  }
  while (readState(victim.pid()) === 'T') await pause(1)
}

/** Restarts a member with a monotonic clock that is hours or days behind or ahead. */
async function skewClock({ random, holdMs }: FaultInput, victim: Member): Promise<void> {
  const uptime = readUptime()
  const behind = -Math.floor(random.below(1000) * (uptime / 1000))
  const ahead = 60 + random.below(30 * 86_400)
  const offset = random.percent(50) && behind <= -60 ? behind : ahead
  await victim.kill()
  victim.start(offset)
  // Until the program is executed, the process still has the clock of the machine.
  for (let tries = 0; tries < 200 && Math.abs(measureOffset(victim) - offset) > 2; tries++)
    await pause(10)
  assertShown(Math.abs(measureOffset(victim) - offset) <= 2, 'the member has another clock')
  await pause(holdMs)
}

/** Seconds by which the clock of the member is ahead of that of the machine. */
function measureOffset(member: Member): number {
  const inside = runProgram(
    ...['nsenter', '-t', String(member.pid()), '--time', 'cat', '/proc/uptime'],
  )
  return Number(inside.split(' ')[0]) - readUptime()
}

function readUptime(): number {
  return Number(runProgram('cat', '/proc/uptime').split(' ')[0])
}

async function canReadWithin(member: Member, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  while (Date.now() < deadline) if (await canRead(member, 1000)) return true
  return false
}

function assertShown(isShown: boolean, fact: string): void {
  if (!isShown) throw new Error(`the nemesis cannot show that ${fact}`)
}
