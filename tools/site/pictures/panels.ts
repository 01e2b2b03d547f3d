/** Draws frames with a name, a chain of boxes, and the functions that do it. */

import { createPen, type Part, type Shape, type Step, widths } from './draw.ts'

/** One frame. */
export interface Panel {
  readonly name: string
  readonly steps: readonly Step[]
  readonly functions: readonly string[]
}

const margin = 8
const gap = 14
const padding = 10

/** Draws panels from `y` on: wide in one row, tall below each other. */
export function drawPanels(shape: Shape, panels: readonly Panel[], y: number): Part {
  const rows = shape === 'wide' ? [panels] : panels.map((panel) => [panel])
  let [svg, bottom] = ['', y - gap]
  for (const row of rows) {
    const part = drawRow(shape, row, bottom + gap)
    svg += part.svg
    bottom = part.bottom
  }
  return { svg, bottom }
}

/** Draws panels beside each other. Their titles, chains and functions begin at the same height. */
function drawRow(shape: Shape, panels: readonly Panel[], y: number): Part {
  const pen = createPen(shape)
  const width = (widths[shape] - 2 * margin - (panels.length - 1) * gap) / panels.length
  const placed = panels.map((panel, index) => {
    const x = margin + index * (width + gap)
    return { ...panel, x, inner: { x: x + padding, width: width - 2 * padding } }
  })
  const titles = placed.map(({ name, inner }) =>
    pen.text(name, { ...inner, y: y + padding, style: 'title' }),
  )
  const chainTop = bottomOf(titles) + padding
  const chains = placed.map(({ steps, inner }) => pen.chain(steps, { ...inner, y: chainTop }))
  const functionsTop = bottomOf(chains) + padding
  const functions = placed.flatMap(({ functions, x }) =>
    functions.map((name, index) => {
      const top = functionsTop + index * pen.lineHeight
      return pen.text(`\`${name}\``, { x, y: top, width, align: 'middle' })
    }),
  )
  const bottom = bottomOf(functions) + padding
  const frames = placed.map(({ x }) => pen.frame({ x, y, width, height: bottom - y }))
  const parts = [...titles, ...chains, ...functions].map((part) => part.svg)
  return { svg: [...frames, ...parts].join(''), bottom }
}

function bottomOf(parts: readonly Part[]): number {
  return Math.max(...parts.map((part) => part.bottom))
}
