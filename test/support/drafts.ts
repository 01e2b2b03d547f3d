/** Two small drafts of items with short field ids. */

import type { ItemDraft } from '../../src/index.js'

/**
 * Returns a draft of a login, as the test vault contains it: a user name, a password, a concealed
 * field `pin` in a section, two tags and a URL.
 */
export function loginDraft(vaultId: string, changes: Partial<ItemDraft> = {}): ItemDraft {
  return {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'Example',
    tags: ['work', 'mail'],
    urls: [{ href: 'https://example.com/login', label: 'website', primary: true }],
    sections: [{ id: 'more', label: 'More' }],
    fields: [
      { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
      { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 'correct horse' },
      { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
    ],
    ...changes,
  }
}

/** Returns a draft of a secure note with one field. */
export function noteDraft(vaultId: string, changes: Partial<ItemDraft> = {}): ItemDraft {
  return {
    category: 'SECURE_NOTE',
    vault: { id: vaultId },
    title: 'Note',
    fields: [{ id: 'notes', type: 'STRING', purpose: 'NOTES', value: 'remember the milk' }],
    ...changes,
  }
}
