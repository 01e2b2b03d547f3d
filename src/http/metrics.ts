/** Counts requests and how long they took, and says so in the text format of Prometheus (version 0.0.4). */

import type { VaultService } from '../core/vault-service.js'

/** What a mount has answered so far. Nothing of it is an id or a value. */
export interface Metrics {
  /** Counts an answer; `operation` is `none` where no route was found. */
  count(operation: string, status: number, seconds: number): void
  /** All that was counted, with what the service counts. */
  text(stats: VaultService['stats']): string
}

/** Upper bounds in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Durations {
  /** How many were within each bound, and not within the one before. */
  readonly within: number[]
  count: number
  sum: number
}

/** Nothing is counted yet. */
export function createMetrics(): Metrics {
  const requests = new Map<string, Map<number, number>>()
  const durations = new Map<string, Durations>()
  return {
    count(operation, status, seconds) {
      const byStatus = requests.get(operation) ?? new Map<number, number>()
      requests.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1))
      const known = durations.get(operation) ?? { within: bounds.map(() => 0), count: 0, sum: 0 }
      durations.set(operation, known)
      const ref = bounds.findIndex((bound) => seconds <= bound)
      if (ref >= 0) known.within[ref] = (known.within[ref] as number) + 1
      known.count++
      known.sum += seconds
    },
    text: ({ writeConflicts, storeErrors: storeFailures }) =>
      [
        ...family('requests_total', 'counter', 'Requests answered.', requestLines(requests)),
        ...family(
          'request_duration_seconds',
          'histogram',
          'Time from a request to its answer.',
          durationLines(durations),
        ),
        ...family('lost_races_total', 'counter', 'Changes tried again after another.', [
          `cofferkit_lost_races_total ${writeConflicts}`,
        ]),
        ...family('store_failures_total', 'counter', 'Calls of the store that failed.', [
          `cofferkit_store_failures_total ${storeFailures}`,
        ]),
        '',
      ].join('\n'),
  }
}

function family(name: string, type: string, help: string, lines: readonly string[]): string[] {
  return [`# HELP cofferkit_${name} ${help}`, `# TYPE cofferkit_${name} ${type}`, ...lines]
}

function requestLines(requests: ReadonlyMap<string, ReadonlyMap<number, number>>): string[] {
  return [...requests].flatMap(([operation, byStatus]) =>
    [...byStatus].map(
      ([status, count]) =>
        `cofferkit_requests_total{operation="${operation}",status="${status}"} ${count}`,
    ),
  )
}

function durationLines(durations: ReadonlyMap<string, Durations>): string[] {
  return [...durations].flatMap(([operation, { within, count, sum }]) => {
    const name = 'cofferkit_request_duration_seconds'
    let reached = 0
    const buckets = bounds.map((bound, ref) => {
      reached += within[ref] as number
      return `${name}_bucket{operation="${operation}",le="${bound}"} ${reached}`
    })
    return [
      ...buckets,
      `${name}_bucket{operation="${operation}",le="+Inf"} ${count}`,
      `${name}_sum{operation="${operation}"} ${sum}`,
      `${name}_count{operation="${operation}"} ${count}`,
    ]
  })
}
