/** The metrics of the process of a server, which the handler does not know. */

import { tracingChannel } from 'node:diagnostics_channel'
import { readdirSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { HttpHandler } from '../../http.js'
import type { PoolState } from '../store/open-store.js'

/** The sources of the metrics. */
export interface ProcessMetricsSources {
  readonly version: string
  /** The kind of the store, such as `postgres`. */
  readonly store: string
  /** Returns the state of the pool; undefined for a store without one. */
  readonly pool: (() => PoolState) | undefined
  readonly keyCalls: KeyCalls
  /** Returns the number of tokens that are accepted. */
  readonly tokens: () => number
  /** Returns the number of open connections of clients. */
  readonly connections: () => Promise<number>
}

interface Family {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  /** The values by their labels, such as `{state="idle"}`. */
  readonly values: Readonly<Record<string, number>>
}

const resolutionMs = 20

/** The beginning of the type of a response with metrics. */
const metricsType = 'text/plain; version=0.0.4'

/** Returns a handler that adds the metrics of the process to those of `handler`. */
export function withProcessMetrics(
  handler: HttpHandler,
  sources: ProcessMetricsSources,
): HttpHandler {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  return async (request) => {
    const response = await handler(request)
    const { body, headers } = response
    const isMetrics = headers['content-type']?.startsWith(metricsType) === true
    if (!isMetrics) return response
    const families = [
      ...(await listFamilies(sources)),
      ...listKeyCalls(sources.keyCalls),
      ...listDelays(delay),
    ]
    const added = families.flatMap(formatFamily).join('')
    if (typeof body === 'string') return { ...response, body: body + added }
    // The response to HEAD has the length that the response to GET would have.
    const length = Number(headers['content-length']) + Buffer.byteLength(added)
    return { ...response, headers: { ...headers, 'content-length': `${length}` } }
  }
}

async function listFamilies(sources: ProcessMetricsSources): Promise<readonly Family[]> {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  const pool = sources.pool?.()
  const files = countOpenFiles()
  const labels = `version="${sources.version}",node="${process.versions.node}",store="${sources.store}"`
  return [
    gauge('cofferkit_build_info', 'The version of the server.', { [`{${labels}}`]: 1 }),
    gauge('cofferkit_tokens', 'Tokens that are accepted.', sources.tokens()),
    gauge('cofferkit_connections', 'Open connections of clients.', await sources.connections()),
    ...(pool === undefined
      ? []
      : [
          gauge('cofferkit_pool_connections', 'Connections of the database pool.', {
            '{state="idle"}': pool.idle,
            '{state="used"}': pool.total - pool.idle,
          }),
          gauge('cofferkit_pool_waiting', 'Calls waiting for a connection.', pool.waiting),
        ]),
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the process.',
      values: { '': (user + system) / 1_000_000 },
    },
    gauge(
      'process_start_time_seconds',
      'Start of the process in Unix time.',
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
    gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
    gauge('nodejs_heap_size_used_bytes', 'Memory that objects use.', heapUsed),
    ...(files === undefined ? [] : [gauge('process_open_fds', 'Open files.', files)]),
  ]
}

/** The calls of key providers, such as a KMS, by the labels of their metric. */
export interface KeyCalls {
  readonly counts: Record<string, number>
  readonly seconds: Record<string, number>
}

/** Counts the calls of key providers, from now on. */
export function countKeyCalls(): KeyCalls {
  const calls: KeyCalls = { counts: {}, seconds: {} }
  const startedAt = new WeakMap<object, number>()
  const none = (): void => {}
  tracingChannel<unknown, KeyCallMessage>('cofferkit.key').subscribe({
    start: (message) => startedAt.set(message, performance.now()),
    asyncEnd(message) {
      const { call, error } = message
      const result = error === undefined ? 'ok' : 'failed'
      const seconds = (performance.now() - (startedAt.get(message) ?? performance.now())) / 1000
      const [counted, timed] = [`{call="${call}",result="${result}"}`, `{call="${call}"}`]
      calls.counts[counted] = (calls.counts[counted] ?? 0) + 1
      calls.seconds[timed] = (calls.seconds[timed] ?? 0) + seconds
    },
    ...{ end: none, asyncStart: none, error: none },
  })
  return calls
}

/** A message of the channel `cofferkit.key`. */
interface KeyCallMessage {
  readonly call: string
  readonly error?: unknown
}

/** Returns nothing if there was no call, as for a store without encryption. */
function listKeyCalls({ counts, seconds }: KeyCalls): readonly Family[] {
  if (Object.keys(counts).length === 0) return []
  const [name, type] = ['cofferkit_key_calls_total', 'counter'] as const
  return [
    { name, type, help: 'Calls of the key provider, such as a KMS.', values: counts },
    {
      ...{ name: 'cofferkit_key_call_seconds_total', type, values: seconds },
      help: 'Time of the calls of the key provider.',
    },
  ]
}

type DelayHistogram = ReturnType<typeof monitorEventLoopDelay>

/** Lists how late the event loop was since the metrics were last read. */
function listDelays(delay: DelayHistogram): readonly Family[] {
  // The histogram measures the time between two checks.
  const toSeconds = (nanoseconds: number): number =>
    delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000)
  const [p99, max] = [toSeconds(delay.percentile(99)), toSeconds(delay.max)]
  delay.reset()
  const help = 'Delay of the event loop since the metrics were read before.'
  return [
    gauge('nodejs_eventloop_lag_p99_seconds', help, p99),
    gauge('nodejs_eventloop_lag_max_seconds', help, max),
  ]
}

function gauge(name: string, help: string, value: number | Family['values']): Family {
  return { name, type: 'gauge', help, values: typeof value === 'number' ? { '': value } : value }
}

function formatFamily({ name, type, help, values }: Family): string[] {
  return [
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
    ...Object.entries(values).map(([labels, value]) => `${name}${labels} ${value}\n`),
  ]
}

/** Returns undefined on systems other than Linux. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}
