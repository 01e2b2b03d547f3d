/** The picture of the keys of the tenants, and of what each change of keys replaces. */

import { arrow, createPen, type Part, type Picture } from './draw.ts'
import { drawPanels, type Panel } from './panels.ts'

const kek = { box: 'KEK', note: 'in a key file or a KMS' }
const tenants = ['Acme', 'Globex']
const wraps = 'wraps'
const encrypts = 'encrypts'
const dataKeyOf = (tenant: string) => ({ box: `Data key of ${tenant}`, kind: 'own' }) as const
const vaultOf = (tenant: string) =>
  ({ box: `Vault of ${tenant}`, note: 'items and files', kind: 'own' }) as const

const changes: readonly Panel[] = [
  {
    name: 'Rewrap: a new KEK',
    steps: [
      { box: 'New KEK', kind: 'new' },
      { flow: 'wraps again', kind: 'new' },
      { box: 'Same data key', kind: 'own' },
      { flow: 'encrypts' },
      { box: 'Same items and files', kind: 'own' },
    ],
    functions: ['rewrapKeys'],
  },
  {
    name: 'Rotate: a new data key',
    steps: [
      { box: 'Same KEK' },
      { flow: 'wraps', kind: 'new' },
      { box: 'New data key', kind: 'new' },
      { flow: 'encrypts again', kind: 'new' },
      { box: 'Items, but not files', kind: 'own' },
    ],
    functions: ['rotateDataKeys', 'reencrypt'],
  },
  {
    name: 'Erase: no data key',
    steps: [
      { box: 'Same KEK' },
      { flow: 'nothing to unwrap', kind: 'gone' },
      { box: 'Data key destroyed', kind: 'gone' },
      { flow: 'nothing can decrypt', kind: 'gone' },
      { box: 'Unreadable forever', kind: 'gone' },
    ],
    functions: ['deleteVault', 'eraseKeys'],
  },
]

/** The picture. */
export const tenantKeys: Picture = {
  title: 'Keys and tenants',
  description:
    'A KEK, in a key file or a KMS, wraps one data key for each tenant, Acme and Globex. Each data key encrypts the vault of its tenant, with its items and files. Below are three changes. Rewrap: rewrapKeys wraps the same data key again with a new KEK, and the items and files stay as they are. Rotate: rotateDataKeys makes a new data key, which the same KEK wraps, and reencrypt encrypts the items again, but not the files. Erase: after deleteVault, eraseKeys destroys the data key, and what it encrypted is unreadable forever.',
  draw(shape) {
    const keys = shape === 'wide' ? drawWide() : drawTall()
    const panels = drawPanels(shape, changes, keys.bottom + 24)
    return { svg: keys.svg + panels.svg, height: Math.ceil(panels.bottom + 8) }
  },
}

/** Draws the keys from left to right. */
function drawWide(): Part {
  const pen = createPen('wide')
  const [first, second, third] = [8, 365, 722]
  const [width, height, gap] = [230, 62, 16]
  const bottom = 8 + tenants.length * (height + gap) - gap
  const middle = (8 + bottom) / 2
  let svg = pen.box(kek, { x: first, y: middle - height / 2, width, height }).svg
  for (const [index, tenant] of tenants.entries()) {
    const y = 8 + index * (height + gap)
    const center = y + height / 2
    const turn = first + width + 28
    const label = { y: center - pen.lineHeight - 2, style: 'soft', align: 'middle' } as const
    svg +=
      arrow([first + width + 2, middle, turn, middle, turn, center, second - 2, center]) +
      pen.text(wraps, { ...label, x: turn, width: second - turn }).svg +
      pen.box(dataKeyOf(tenant), { x: second, y, width, height }).svg +
      arrow([second + width + 2, center, third - 2, center]) +
      pen.text(encrypts, { ...label, x: second + width, width: third - second - width }).svg +
      pen.box(vaultOf(tenant), { x: third, y, width, height }).svg
  }
  return { svg, bottom }
}

/** Draws the keys from top to bottom. */
function drawTall(): Part {
  const pen = createPen('tall')
  const [margin, width, gap] = [8, 166, 12]
  const whole = 2 * width + gap
  const top = pen.box(kek, { x: margin, y: 8, width: whole })
  let { svg, bottom } = top
  for (const [index, tenant] of tenants.entries()) {
    const at = { x: margin + index * (width + gap), y: top.bottom, width }
    const steps = [{ flow: wraps }, dataKeyOf(tenant), { flow: encrypts }, vaultOf(tenant)]
    const chain = pen.chain(steps, at)
    svg += chain.svg
    bottom = chain.bottom
  }
  return { svg, bottom }
}
