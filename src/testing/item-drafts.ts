/** Items to begin a test with. */

import type { ItemDraft } from '../index.js'

/** A login with a user name, a password, a note in a section, two tags and a URL. */
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

/** A note. */
export function noteDraft(vaultId: string, changes: Partial<ItemDraft> = {}): ItemDraft {
  return {
    category: 'SECURE_NOTE',
    vault: { id: vaultId },
    title: 'Note',
    fields: [{ id: 'notes', type: 'STRING', purpose: 'NOTES', value: 'remember the milk' }],
    ...changes,
  }
}
