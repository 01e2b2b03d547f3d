/** A strict parser of the Prometheus text format. */

/** A metric with its samples in order. */
export interface MetricFamily {
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

/** One sample line. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const nameRule = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const labelRule = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const sampleRule = new RegExp(`^(${nameRule})(?:\\{(${labelRule}(?:,${labelRule})*)\\})? (\\S+)$`)
const valueRule = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|\+Inf)$/i

/**
 * Parses metrics of version 0.0.4, by name.
 * @throws Error if a line is invalid, a sample is outside of its family or repeated, or the text
 * does not end with a line feed.
 */
export function parseMetrics(text: string): Record<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed')
  const families: Record<string, MetricFamily & { samples: Sample[] }> = {}
  const seen = new Set<string>()
  let current = ''
  let help = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const comment = new RegExp(`^# (HELP|TYPE) (${nameRule}) (.+)$`).exec(line)
    if (comment !== null) {
      const [, kind, name = '', rest = ''] = comment
      if (kind === 'HELP') help = rest
      if (kind === 'HELP' && families[name] !== undefined)
        throw new Error(`repeated family: ${name}`)
      if (kind === 'TYPE') families[name] = { type: typeOf(rest), help, samples: [] }
      current = name
      continue
    }
    const sample = sampleOf(line)
    const family = families[current]
    if (family === undefined || !belongs(sample.name, current, family.type))
      throw new Error(`sample outside of its family: ${line}`)
    const ref = line.slice(0, line.lastIndexOf(' '))
    if (seen.has(ref)) throw new Error(`repeated sample: ${ref}`)
    seen.add(ref)
    family.samples.push(sample)
  }
  return families
}

function typeOf(text: string): string {
  if (!/^(?:counter|gauge|histogram|summary|untyped)$/.test(text))
    throw new Error(`invalid type: ${text}`)
  return text
}

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = sampleRule.exec(line) ?? []
  if (name === '' || !valueRule.test(value)) throw new Error(`invalid sample: ${line}`)
  const pairs = [...labels.matchAll(/([^=,]+)="((?:[^"\\]|\\.)*)"/g)]
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
    value: Number(value.replace('Inf', 'Infinity')),
  }
}

function belongs(name: string, family: string, type: string): boolean {
  if (type !== 'histogram') return name === family
  return ['_bucket', '_sum', '_count'].some((ending) => name === family + ending)
}
