/** Metrics in the text format of Prometheus (version 0.0.4). */

import type { VaultService } from '../core/vault-service.js'

/** The metrics of the handlers of a service. They contain no id and no value. */
export interface Metrics {
  /** Counts a request that has begun. `count` ends it. */
  begin(): void
  /**
   * Counts a response.
   * @param operation the name of the operation or probe, `page` or `relay`, or `none` if no route
   * was found
   * @param status the HTTP status of the response
   * @param seconds the time from the request to the response
   */
  count(operation: string, status: number, seconds: number): void
  /** Returns all metrics, with those of the service, in the text format. */
  format(stats: VaultService['stats']): string
}

/** The upper bounds of the buckets, in seconds. */
const bucketBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Histogram {
  /** The number of durations between the previous bound and this one. */
  readonly buckets: number[]
  count: number
  /** Seconds. */
  sum: number
}

const metricsByOwner = new WeakMap<object, Metrics>()

/**
 * Returns the metrics of a service, to which all of its handlers add, or those of a handler. A
 * handler that does not come from this library has metrics that nobody else reads.
 */
export function metricsOf(owner: object): Metrics {
  const metrics = metricsByOwner.get(owner) ?? createMetrics()
  metricsByOwner.set(owner, metrics)
  return metrics
}

/** Makes `metricsOf` return these metrics for a handler. */
export function shareMetrics(handler: object, metrics: Metrics): void {
  metricsByOwner.set(handler, metrics)
}

/** Creates metrics in which every counter is 0. */
export function createMetrics(): Metrics {
  const requests = new Map<string, Map<number, number>>()
  const durations = new Map<string, Histogram>()
  let inFlight = 0
  return {
    begin() {
      inFlight++
    },
    count(operation, status, seconds) {
      inFlight--
      const byStatus = requests.get(operation) ?? new Map<number, number>()
      requests.set(operation, byStatus.set(status, (byStatus.get(status) ?? 0) + 1))
      const histogram = durations.get(operation) ?? createHistogram()
      durations.set(operation, histogram)
      for (let index = 0; index < bucketBounds.length; index++) {
        if (seconds > (bucketBounds[index] as number)) continue
        histogram.buckets[index] = (histogram.buckets[index] as number) + 1
        break
      }
      histogram.count++
      histogram.sum += seconds
    },
    format: ({ writeConflicts, storeErrors }) =>
      [
        ...metricFamily(
          'requests_total',
          'counter',
          'Requests by operation and status of the response.',
          requestLines(requests),
        ),
        ...metricFamily(
          'request_duration_seconds',
          'histogram',
          'Time from a request to its response.',
          durationLines(durations),
        ),
        ...metricFamily('requests_in_flight', 'gauge', 'Requests without a response.', [
          `cofferkit_requests_in_flight ${inFlight}`,
        ]),
        ...metricFamily('write_conflicts_total', 'counter', 'Writes retried after a conflict.', [
          `cofferkit_write_conflicts_total ${writeConflicts}`,
        ]),
        ...metricFamily('store_errors_total', 'counter', 'Calls of the store that failed.', [
          `cofferkit_store_errors_total ${storeErrors}`,
        ]),
        '',
      ].join('\n'),
  }
}

function createHistogram(): Histogram {
  return { buckets: bucketBounds.map(() => 0), count: 0, sum: 0 }
}

function metricFamily(
  name: string,
  type: string,
  help: string,
  lines: readonly string[],
): string[] {
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

function durationLines(durations: ReadonlyMap<string, Histogram>): string[] {
  return [...durations].flatMap(([operation, { buckets, count, sum }]) => {
    const name = 'cofferkit_request_duration_seconds'
    let cumulative = 0
    const bucketLines = bucketBounds.map((bound, index) => {
      cumulative += buckets[index] as number
      return `${name}_bucket{operation="${operation}",le="${bound}"} ${cumulative}`
    })
    return [
      ...bucketLines,
      `${name}_bucket{operation="${operation}",le="+Inf"} ${count}`,
      `${name}_sum{operation="${operation}"} ${sum}`,
      `${name}_count{operation="${operation}"} ${count}`,
    ]
  })
}
