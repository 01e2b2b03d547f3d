/** The picture of what runs in the process, and of what is outside. */

import { arrow, createPen, type Drawing, type Picture, type Step } from './draw.ts'

const process = 'Your Node.js process'
const steps: readonly Step[] = [
  { box: 'Login', note: 'your framework, your users' },
  { flow: 'the caller' },
  { box: 'Vault service', note: 'permissions, rules, activity log', kind: 'own' },
  { flow: 'plaintext' },
  { box: 'Encryption', note: 'one data key for each vault', kind: 'own' },
  { flow: 'ciphertext' },
  { box: 'Store adapter', note: 'PostgreSQL, MySQL, SQLite …', kind: 'own' },
]
const request = 'a request, or a call in your code'
const keys = { box: 'KMS or key file', note: 'wraps the data keys' }
const keyFlow = 'data keys'
const database = { box: 'Your database', note: 'ciphertext only' }
const databaseFlow = 'ciphertext'

/** The picture. */
export const architecture: Picture = {
  title: 'What runs in your process',
  description:
    'A request, or a call in your code, comes into your Node.js process. There it passes your login, the vault service, the encryption and the store adapter. Outside the process are only your database, which holds ciphertext only, and the KMS or key file, which wraps the data keys.',
  draw: (shape) => (shape === 'wide' ? drawWide() : drawTall()),
}

function drawWide(): Drawing {
  const pen = createPen('wide')
  const frame = { x: 16, y: 46, width: 560 }
  const inner = { x: 40, y: 96, width: 512 }
  const chain = pen.chain(steps, inner)
  const height = chain.bottom + 18 - frame.y
  const outside = { x: 720, width: 224 }
  const gap = { x: inner.x + inner.width, width: outside.x - inner.x - inner.width }
  const aside = (index: number, box: Step & { box: string }, flow: string, isBoth: boolean) => {
    const y = chain.boxes[index]?.y ?? 0
    const part = pen.box(box, { ...outside, y })
    const middle = (y + part.bottom) / 2
    const line = [gap.x + 2, middle, outside.x - 2, middle]
    const label = { x: frame.x + frame.width, width: outside.x - frame.x - frame.width }
    const at = { ...label, y: middle - pen.lineHeight - 4, style: 'soft', align: 'middle' } as const
    return arrow(line, 'yours', isBoth) + part.svg + pen.text(flow, at).svg
  }
  return {
    height: Math.ceil(frame.y + height + 16),
    svg:
      pen.frame({ ...frame, height }) +
      pen.text(process, { x: 90, y: 58, width: 400, style: 'title' }).svg +
      arrow([inner.x + 28, 12, inner.x + 28, inner.y - 2]) +
      pen.text(request, { x: inner.x + 42, y: 12, width: 500, style: 'soft' }).svg +
      chain.svg +
      aside(2, keys, keyFlow, true) +
      aside(3, database, databaseFlow, false),
  }
}

function drawTall(): Drawing {
  const pen = createPen('tall')
  const frame = { x: 8, y: 40, width: 344 }
  const inner = { x: 20, y: 80, width: 288 }
  const chain = pen.chain(steps, inner)
  const end = chain.bottom + 14
  const below = end + 46
  const left = { x: 8, y: below, width: 150 }
  const right = { x: 168, y: below, width: 184 }
  const boxes = [pen.box(database, left), pen.box(keys, right)]
  const encryption = chain.boxes[2]?.y ?? 0
  const side = { x: inner.x + inner.width, y: encryption + 26 }
  const turn = 330
  const label = { y: end + 10, style: 'soft' } as const
  return {
    height: Math.ceil(Math.max(...boxes.map((box) => box.bottom)) + 8),
    svg:
      pen.frame({ ...frame, height: end - frame.y }) +
      pen.text(process, { x: 62, y: 50, width: 280, style: 'title' }).svg +
      arrow([inner.x + 28, 8, inner.x + 28, inner.y - 2]) +
      pen.text(request, { x: inner.x + 42, y: 10, width: 290, style: 'soft' }).svg +
      chain.svg +
      arrow([48, chain.bottom + 2, 48, below - 2]) +
      arrow([side.x + 2, side.y, turn, side.y, turn, below - 2], 'yours', true) +
      pen.text(databaseFlow, { ...label, x: 62, width: 110 }).svg +
      pen.text(keyFlow, { ...label, x: 240, width: 84 }).svg +
      boxes.map(({ svg }) => svg).join(''),
  }
}
