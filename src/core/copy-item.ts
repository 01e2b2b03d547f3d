/** Copies an item, so that nothing of it is shared. */

import type { SectionReference } from '../schema/field.js'
import type { Item } from '../schema/item.js'

/** A copy of the item through all its levels, several times as fast as one of any JSON. */
export function copyItem(item: Item): Item {
  return {
    ...item,
    vault: { ...item.vault },
    tags: [...item.tags],
    urls: item.urls.map((url) => ({ ...url })),
    sections: item.sections.map((section) => ({ ...section })),
    fields: item.fields.map(copySectioned),
    files: item.files.map(copySectioned),
  }
}

function copySectioned<Part extends { readonly section?: SectionReference }>(part: Part): Part {
  return part.section === undefined ? { ...part } : { ...part, section: { ...part.section } }
}
