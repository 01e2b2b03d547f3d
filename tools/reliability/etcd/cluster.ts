/** A cluster of three members in network namespaces, which the proof can break and observe. */

import { setTimeout as pause } from 'node:timers/promises'
import { createBridge, createMember, type Member } from './member.js'

/** The state of a member, as it reports it. */
interface MemberStatus {
  readonly memberId: string
  /** `0` if it knows none. */
  readonly leaderId: string
  readonly term: number
}

/** The members of a running cluster. */
export interface Cluster {
  readonly members: readonly Member[]
  readonly endpoints: readonly string[]
  /** The member that leads, and its term, for a majority. @throws Error after a minute. */
  leader(): Promise<{ readonly member: Member; readonly term: number }>
  /** Waits until every member answers a linearizable read. @throws Error after a minute. */
  healthy(): Promise<void>
}

const members = 3

/** Starts a cluster in an empty folder. It ends with the network namespace of this process. */
export async function startCluster(folder: string): Promise<Cluster> {
  createBridge()
  const all: Member[] = []
  for (let number = 1; number <= members; number++)
    all.push(await createMember({ number, count: members, folder }))
  for (const member of all) member.start()
  const cluster: Cluster = {
    members: all,
    endpoints: all.map(({ endpoint }) => endpoint),
    async leader() {
      for (const deadline = Date.now() + 300_000; Date.now() < deadline; ) {
        const statuses = await Promise.all(all.map((member) => readStatus(member)))
        for (const [index, status] of statuses.entries()) {
          const supporters = statuses.filter(
            (other) => other?.leaderId === status?.memberId && other?.term === status?.term,
          )
          const member = all[index]
          if (member && status && supporters.length * 2 > all.length)
            return { member, term: status.term }
        }
        await pause(50)
      }
      throw new Error('no majority has a leader')
    },
    async healthy() {
      const deadline = Date.now() + 300_000
      for (const member of all)
        while (!(await canRead(member, 10_000))) {
          if (Date.now() > deadline) throw new Error(`${member.name} does not answer`)
          await pause(50)
        }
    },
  }
  await cluster.healthy()
  return cluster
}

/** The status of the member; undefined if it does not answer. */
async function readStatus(member: Member): Promise<MemberStatus | undefined> {
  const answer = await post(member, 'maintenance/status', {}, 500)
  if (answer === undefined) return undefined
  const {
    header,
    leader = '0',
    raftTerm,
  } = answer as {
    header: { member_id: string }
    leader?: string
    raftTerm: string
  }
  return { memberId: header.member_id, leaderId: leader, term: Number(raftTerm) }
}

/**
 * Checks if the member answers a read: a linearizable one, for which it needs a majority, or one
 * from its own data.
 */
export async function canRead(
  member: Member,
  timeoutMs: number,
  serializable = false,
): Promise<boolean> {
  return (await post(member, 'kv/range', { key: 'YQ==', serializable }, timeoutMs)) !== undefined
}

/** The parsed answer; undefined if there is no answer with status 200 in time. */
async function post(
  { endpoint }: Member,
  path: string,
  body: object,
  timeoutMs: number,
): Promise<object | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  const init = { method: 'POST', body: JSON.stringify(body), signal }
  try {
    const response = await fetch(`${endpoint}/v3/${path}`, init)
    return response.ok ? ((await response.json()) as object) : undefined
  } catch {
    return undefined
  }
}
