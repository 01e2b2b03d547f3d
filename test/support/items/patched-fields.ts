/** The fields of the item that patches are applied to. */

import type { Field } from '../../../src/index.js'

export const username: Field = {
  id: 'username',
  type: 'STRING',
  label: 'username',
  value: 'wendy',
  purpose: 'USERNAME',
}
export const slash: Field = { id: 'a/b~c', type: 'STRING', label: 'Slash', value: '1' }
export const pin: Field = {
  id: 'pin',
  type: 'CONCEALED',
  label: 'PIN',
  value: '1234',
  section: { id: 'more' },
}

/** The fields in order. */
export const patchedFields: readonly Field[] = [username, slash, pin]
