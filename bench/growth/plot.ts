/** Draws curves over a logarithmic axis as SVG, readable on light and on dark pages. */

/** A curve: a value for each position. */
interface Curve {
  readonly title: string
  readonly values: readonly number[]
}

/** The contents of a plot. */
export interface Plot {
  readonly title: string
  readonly xTitle: string
  /** Ascending positions, larger than 0. */
  readonly positions: readonly number[]
  readonly curves: readonly Curve[]
}

const [width, height] = [720, 360]
const area = { left: 56, right: 500, top: 48, bottom: 304 }
const lineHeight = 16

/** Colors that differ in common forms of color blindness, on white and on black. */
const colors = ['#0a78b8', '#d1660a', '#1a9e77', '#c2559b', '#8f7a00', '#7570b3']

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .axis { stroke: #57606a } .grid { stroke: #57606a; opacity: 0.25 }
  .curve { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .axis, .grid { stroke: #9da7b3 } }`

/** The text of the SVG. The vertical axis begins at 0. */
export function drawPlot({ title, xTitle, positions, curves }: Plot): string {
  const highest = Math.max(...curves.flatMap(({ values }) => values))
  const step = chooseStep(highest)
  const top = Math.ceil(highest / step) * step
  const [first = 1, last = 1] = [positions[0], positions.at(-1)]
  const x = (position: number): number => {
    const share = Math.log(position / first) / (Math.log(last / first) || 1)
    return area.left + share * (area.right - area.left)
  }
  const y = (value: number): number => area.bottom - (value / top) * (area.bottom - area.top)
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const grid = ticks.flatMap((tick) => [
    line([area.left, y(tick)], [area.right, y(tick)], tick === 0 ? 'axis' : 'grid'),
    text(area.left - 8, y(tick) + 4, formatTick(tick), 'text-anchor="end"'),
  ])
  const labels = positions.map((position) =>
    text(x(position), area.bottom + 20, position.toLocaleString('en'), 'text-anchor="middle"'),
  )
  const elements = [
    text(area.left, 24, title, 'class="title"'),
    ...grid,
    ...labels,
    text((area.left + area.right) / 2, height - 12, xTitle, 'text-anchor="middle"'),
    ...drawCurves(curves, (values) =>
      values.map((value, index) => [x(positions[index] ?? first), y(value)]),
    ),
  ]
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`
  return `${[head, `<title>${escape(title)}</title>`, `<style>${style}\n</style>`, ...elements].join('\n')}\n</svg>\n`
}

type Point = readonly [number, number]

/** Each curve with its points, and its title beside its end. Titles do not overlap. */
function drawCurves(
  curves: readonly Curve[],
  toPoints: (values: readonly number[]) => readonly Point[],
): readonly string[] {
  const drawn = curves.map(({ title, values }, index) => {
    const points = toPoints(values)
    const color = colors[index % colors.length] ?? ''
    return { title, points, color, end: points.at(-1)?.[1] ?? 0 }
  })
  let lowest = Number.NEGATIVE_INFINITY
  return drawn
    .toSorted((left, right) => left.end - right.end)
    .flatMap(({ title, points, color, end }) => {
      lowest = Math.max(end, lowest + lineHeight)
      const path = points.map(([left, top]) => `${round(left)},${round(top)}`).join(' ')
      return [
        `<polyline class="curve" stroke="${color}" points="${path}"/>`,
        ...points.map(
          ([left, top]) =>
            `<circle cx="${round(left)}" cy="${round(top)}" r="3.5" fill="${color}"/>`,
        ),
        `<circle cx="${area.right + 16}" cy="${round(lowest)}" r="4" fill="${color}"/>`,
        text(area.right + 26, lowest + 4, title),
      ]
    })
}

/** 1, 2 or 5 times a power of ten, with at most six steps up to the value. */
function chooseStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value / 6))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => value / step <= 6) ?? value
}

function line([x1, y1]: Point, [x2, y2]: Point, kind: string): string {
  return `<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`
}

function text(x: number, y: number, content: string, attributes = ''): string {
  const place = `x="${round(x)}" y="${round(y)}"`
  return `<text ${[place, attributes].filter(Boolean).join(' ')}>${escape(content)}</text>`
}

const formatTick = (tick: number): string => String(Number(tick.toPrecision(6)))

const round = (number: number): number => Math.round(number * 10) / 10

const escape = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
