/** The types of fields: their names for people, and whether their values are secrets. */

import type { FieldType } from '../../index.js'

interface PageFieldType {
  readonly name: string
  /** True if values are no secrets, so they are shown. */
  readonly isShown: boolean
}

/** The types that can be chosen, in the order of the menu. */
export const fieldTypes: Readonly<Record<FieldType, PageFieldType>> = {
  STRING: { name: 'Text', isShown: true },
  CONCEALED: { name: 'Password', isShown: false },
  EMAIL: { name: 'Email address', isShown: true },
  URL: { name: 'Web address', isShown: true },
  TOTP: { name: 'One-time code', isShown: false },
  DATE: { name: 'Date', isShown: true },
  MONTH_YEAR: { name: 'Month and year', isShown: true },
  MENU: { name: 'Choice', isShown: true },
}

/** Types that only fields of other clients have. */
const foreignTypes: Readonly<Record<string, PageFieldType>> = {
  OTP: { name: 'One-time code', isShown: false },
  SSHKEY: { name: 'SSH key', isShown: false },
  PHONE: { name: 'Phone', isShown: true },
  ADDRESS: { name: 'Address', isShown: true },
  GENDER: { name: 'Gender', isShown: true },
}

const knownTypes = new Map(Object.entries({ ...fieldTypes, ...foreignTypes }))

/** Returns what the page knows about a field type, or undefined if it does not know the type. */
export function findFieldType(type: string): PageFieldType | undefined {
  return knownTypes.get(type)
}
