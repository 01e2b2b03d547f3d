/** The picture of what happens to a key that a customer enters. */

import type { Picture } from './draw.ts'
import { drawPanels, type Panel } from './panels.ts'

const stages: readonly Panel[] = [
  {
    name: '1. Saved',
    steps: [
      { box: 'Your settings form' },
      { flow: '`sk_live_…WXYZ`' },
      { box: 'Your `verify` asks the provider' },
      { flow: 'the key works' },
      { box: 'Encrypted and stored', kind: 'own' },
    ],
    functions: ['credentials.save'],
  },
  {
    name: '2. Shown',
    steps: [
      { box: 'The stored key', kind: 'own' },
      { flow: 'only a hint' },
      { box: 'Your settings page', note: '`…WXYZ`' },
    ],
    functions: ['credentials.describe'],
  },
  {
    name: '3. Used',
    steps: [
      { box: 'Your code or an agent' },
      { flow: '`{{ op://… }}`' },
      { box: 'Origin check', kind: 'own' },
      { flow: 'allowed' },
      { box: 'Log entry', kind: 'own' },
      { flow: 'the real key' },
      { box: 'The provider’s API' },
      { flow: 'its response' },
      { box: 'The key is masked', note: '`[secret]`', kind: 'own' },
    ],
    functions: ['secretFetch'],
  },
  {
    name: '4. Replaced or removed',
    steps: [
      { box: 'A new key' },
      { flow: 'verified again' },
      { box: 'Replaces the old key', kind: 'own' },
      { flow: 'no longer needed' },
      { box: 'Deleted for good', kind: 'gone' },
    ],
    functions: ['credentials.save', 'credentials.remove'],
  },
]

/** The picture. */
export const keyLife: Picture = {
  title: 'The life of a customer’s key',
  description:
    'Four stages. Saved: the key goes from your settings form to your verify function, which asks the provider. If the key works, credentials.save encrypts and stores it. Shown: of the stored key, credentials.describe returns only a hint, …WXYZ, to your settings page. Used: your code or an agent sends a reference, op://…, instead of the key. After a check of the origin and an entry in the log, secretFetch sends the real key to the provider’s API, and in the response it replaces the key with [secret]. Replaced or removed: credentials.save verifies a new key, which replaces the old one, and credentials.remove deletes the key for good.',
  draw(shape) {
    const { svg, bottom } = drawPanels(shape, stages, 8)
    return { svg, height: Math.ceil(bottom + 8) }
  },
}
