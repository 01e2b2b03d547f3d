/** Draws the boxes, arrows and words of a picture as SVG. */

/** Wide for a page, tall for a phone. */
export type Shape = 'wide' | 'tall'
export type Theme = 'light' | 'dark'

/**
 * `yours` is what the reader has, `own` is cofferkit, `new` is what a change replaces, and `gone` is
 * what it destroys.
 */
export type Kind = 'yours' | 'own' | 'new' | 'gone'

/** A box, or an arrow with what flows along it. Text in backticks is code. */
export type Step =
  | { readonly box: string; readonly note?: string; readonly kind?: Kind }
  | { readonly flow: string; readonly kind?: Kind }

/** A part of a picture, and the y coordinate below it. */
export interface Part {
  readonly svg: string
  readonly bottom: number
}

/** A picture without its colors. */
export interface Drawing {
  readonly height: number
  readonly svg: string
}

/** The words and the two drawings of a picture. */
export interface Picture {
  readonly title: string
  /** Says in whole sentences what the picture shows. */
  readonly description: string
  draw(shape: Shape): Drawing
}

/** The width of each shape. */
export const widths: Readonly<Record<Shape, number>> = { wide: 960, tall: 360 }

interface Sizes {
  readonly title: number
  readonly text: number
}

const sizes: Readonly<Record<Shape, Sizes>> = {
  wide: { title: 20, text: 17 },
  tall: { title: 17, text: 15 },
}

interface Colors {
  readonly text: string
  readonly soft: string
  readonly page: string
  readonly fill: Readonly<Record<Kind, string>>
  readonly line: Readonly<Record<Kind, string>>
}

/** The colors of each theme. A test compares their contrast. */
export const palettes: Readonly<Record<Theme, Colors>> = {
  light: {
    text: '#1f2328',
    soft: '#545b64',
    page: '#ffffff',
    fill: { yours: '#f5f6f8', own: '#e5f3ed', new: '#e6effc', gone: '#fcebe9' },
    line: { yours: '#6b7280', own: '#1d6b52', new: '#1f5fbf', gone: '#b3261e' },
  },
  dark: {
    text: '#f0eee9',
    soft: '#bab8b3',
    page: '#1b1b1f',
    fill: { yours: '#28282e', own: '#14392d', new: '#18304f', gone: '#462320' },
    line: { yours: '#9a9aa3', own: '#7fc4a8', new: '#8dbcff', gone: '#ff9c91' },
  },
}

const kinds: readonly Kind[] = ['yours', 'own', 'new', 'gone']
/** The space between a box and its text. */
const padding = 6
const codePattern = /`[^`]*`/g

/** Returns the file of a picture. */
export function toSvg({ title, description, draw }: Picture, shape: Shape, theme: Theme): string {
  const { height, svg } = draw(shape)
  const width = widths[shape]
  const { text, soft, page, fill, line } = palettes[theme]
  const rules = kinds.map(
    (kind) => `    rect.${kind} { fill: ${fill[kind]}; stroke: ${line[kind]} }
    path.${kind} { stroke: ${line[kind]}; marker-end: url(#${kind}) }
    #${kind} path { fill: ${line[kind]} }`,
  )
  const markers = kinds.map(
    (kind) =>
      `    <marker id="${kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z" /></marker>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
  <title id="title">${escape(title)}</title>
  <desc id="description">${escape(description)}</desc>
  <style>
    text { font: ${sizes[shape].text}px system-ui, sans-serif; fill: ${text} }
    .title { font-size: ${sizes[shape].title}px; font-weight: 600 }
    .soft { fill: ${soft} }
    .middle { text-anchor: middle }
    .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
    path { fill: none; stroke-width: 1.5 }
    path.both { marker-start: url(#yours) }
    path.gone { stroke-dasharray: 5 4 }
    rect.frame { fill: none; stroke: ${line.yours} }
    rect.page { fill: ${page} }
${rules.join('\n')}
  </style>
  <defs>
${markers.join('\n')}
  </defs>
  <rect class="page" width="${width}" height="${height}" rx="10" />
${svg}</svg>
`
}

/** Draws with the sizes of text of one shape. */
export interface Pen {
  /** The height of a line of text. */
  readonly lineHeight: number
  /** Draws lines of text. The first one is below `y`. */
  text(text: string, at: TextPlace): Part
  /** Draws a box with its text in the middle. By default, it is as high as its text needs. */
  box(step: Extract<Step, { box: string }>, at: Place & { readonly height?: number }): Part
  /** Draws boxes below each other, with arrows between them. */
  chain(steps: readonly Step[], at: Place): Part & { readonly boxes: readonly Place[] }
  /** Draws the outline around other parts. */
  frame(at: Place & { readonly height: number }): string
}

/** Where a part is. */
interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
}

interface TextPlace extends Place {
  readonly style?: 'title' | 'soft'
  readonly align?: 'start' | 'middle'
}

/** Returns the functions that draw in a shape. */
export function createPen(shape: Shape): Pen {
  const { title: titleSize, text: textSize } = sizes[shape]
  const lineHeight = Math.round(textSize * 1.35)
  const sizeOf = (style?: string): number => (style === 'title' ? titleSize : textSize)
  const heightOf = (style?: string): number => Math.round(sizeOf(style) * 1.35)
  const wrapIn = ({ width, style }: TextPlace, text: string): readonly string[] =>
    wrap(text, width, sizeOf(style) * (style === 'title' ? 1.1 : 1))

  const pen: Pen = {
    lineHeight,
    text(text, at) {
      const { x, y, width, style, align = 'start' } = at
      const lines = wrapIn(at, text)
      const left = align === 'middle' ? x + width / 2 : x
      const classes = [style, align === 'middle' ? align : undefined].filter(Boolean).join(' ')
      const rows = lines.map((line, index) => {
        const baseline = y + heightOf(style) * (index + 0.75)
        return `<tspan x="${round(left)}" y="${round(baseline)}">${toSpans(line)}</tspan>`
      })
      const opening = classes === '' ? '<text>' : `<text class="${classes}">`
      return {
        svg: `  ${opening}${rows.join(' ')}</text>\n`,
        bottom: y + heightOf(style) * lines.length,
      }
    },
    box({ box, note, kind = 'yours' }, { x, y, width, height }) {
      const inner = { x: x + padding, width: width - 2 * padding, align: 'middle' as const }
      const noteAt = { ...inner, style: 'soft' as const }
      const lines = wrapIn({ ...inner, y }, box).length
      const notes = note === undefined ? 0 : wrapIn({ ...noteAt, y }, note).length
      const needed = (lines + notes) * lineHeight
      const full = height ?? needed + 14
      const first = pen.text(box, { ...inner, y: y + (full - needed) / 2 })
      const second = note === undefined ? '' : pen.text(note, { ...noteAt, y: first.bottom }).svg
      return {
        svg: `  <rect class="${kind}" x="${x}" y="${round(y)}" width="${width}" height="${round(full)}" rx="8" />\n${first.svg}${second}`,
        bottom: y + full,
      }
    },
    chain(steps, { x, y, width }) {
      const boxes: Place[] = []
      let svg = ''
      let bottom = y
      for (const step of steps) {
        if ('box' in step) {
          boxes.push({ x, y: bottom, width })
          const part = pen.box(step, { x, y: bottom, width })
          svg += part.svg
          bottom = part.bottom
          continue
        }
        const { flow, kind = 'yours' } = step
        const left = x + 28
        const label = { x: left + 14, y: bottom + 7, width: width - 46, style: 'soft' as const }
        const part = pen.text(flow, label)
        svg += arrow([left, bottom + 2, left, part.bottom + 6], kind) + part.svg
        bottom = part.bottom + 8
      }
      return { svg, bottom, boxes }
    },
    frame({ x, y, width, height }) {
      return `  <rect class="frame" x="${x}" y="${round(y)}" width="${width}" height="${round(height)}" rx="10" />\n`
    },
  }
  return pen
}

/** Draws an arrow along points, given as x and y in turn. */
export function arrow(points: readonly number[], kind: Kind = 'yours', isBoth = false): string {
  const [x = 0, y = 0, ...others] = points.map(round)
  const classes = isBoth ? `${kind} both` : kind
  return `  <path class="${classes}" d="M${x} ${y} ${others.join(' ')}" />\n`
}

/** Splits text into lines that fit into a width. */
function wrap(text: string, width: number, size: number): readonly string[] {
  const lines: string[] = []
  // Spaces in code do not break a line.
  const words = text.replace(codePattern, (code) => code.replaceAll(' ', '\u00a0')).split(' ')
  for (const word of words) {
    if (widthOf(word, size) > width) throw new RangeError(`"${word}" is wider than its box`)
    const last = lines.at(-1)
    if (last !== undefined && widthOf(`${last} ${word}`, size) <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Returns the width of text in a wide font, so that it fits in every other one. */
function widthOf(text: string, size: number): number {
  const code = (text.match(codePattern) ?? []).join('').replaceAll('`', '')
  let width = code.length * 0.61
  for (const letter of text.replace(codePattern, '')) {
    if (/[ijlftr.,:;’'!| ]/.test(letter)) width += 0.36
    else if (/[mwMW…]/.test(letter)) width += 0.95
    else width += /[A-Z]/.test(letter) ? 0.72 : 0.62
  }
  return width * size
}

/** Returns a line of text, with its code in another font. */
function toSpans(line: string): string {
  return escape(line).replace(
    codePattern,
    (code) => `<tspan class="code">${code.slice(1, -1)}</tspan>`,
  )
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
