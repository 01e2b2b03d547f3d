/** A process that runs one contender, slice by slice, as it is told, and answers what a slice cost. */

import { answerParent } from '../child.mjs'
import { draft, draftCount, itemCount, patch } from '../sample.mjs'

/**
 * @typedef {object} Contender
 * @property {string[]} itemIds Of the items that are stored.
 * @property {(draft: object) => Promise<object>} createItem
 * @property {(itemId: string, draft: object) => Promise<object>} replaceItem
 * @property {(itemId: string, patch: object[]) => Promise<object>} patchItem
 * @property {(itemId: string) => Promise<object>} getFileDetails
 */

const [, , module, build] = process.argv
const { createContender } = await import(module)
const contender = await createContender(itemCount, build)
const drafts = Array.from({ length: draftCount }, (_, index) => draft(index))
const patches = Array.from({ length: draftCount }, (_, index) => patch(index))
let turn = 0

answerParent({
  verify,
  slice: async ({ operation, mode, count }) => {
    const run = runner(operation, mode)
    const before = process.cpuUsage()
    for (let index = 0; index < count; index++) await run(turn++)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  },
})

/** What one operation of a slice is: of the next item each time, or of the same one. */
function runner(operation, mode) {
  const itemOf = (index) => contender.itemIds[mode === 'warm' ? 0 : (index * 61) % itemCount]
  const ofNext = (list, index) => list[index % (mode === 'warm' ? 2 : list.length)]
  switch (operation) {
    case 'create':
      return (index) => contender.createItem(ofNext(drafts, index))
    case 'replace':
      return (index) => contender.replaceItem(itemOf(index), ofNext(drafts, index))
    case 'patch':
      return (index) => contender.patchItem(itemOf(index), ofNext(patches, index))
    default:
      return (index) => contender.getFileDetails(itemOf(index))
  }
}

/** Whether every operation does what it should; its errors if not. */
async function verify() {
  const itemId = contender.itemIds[1]
  const created = await contender.createItem(draft(7))
  const replaced = await contender.replaceItem(itemId, draft(8))
  const patched = await contender.patchItem(itemId, patch(9))
  const file = await contender.getFileDetails(itemId)
  const right =
    created.version === 1 &&
    created.fields.length === 20 &&
    replaced.title === draft(8).title &&
    patched.version === replaced.version + 1 &&
    patched.title === patch(9)[0].value &&
    patched.fields[11].label === patch(9)[1].value &&
    patched.fields[17].value === patch(9)[2].value &&
    file.size === 256
  if (!right) throw new Error(`${module} does not do the job`)
  return JSON.stringify(patched).length
}
