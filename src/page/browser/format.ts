/** Formats names, times and sizes for people. */

import { findFieldType } from './field-types.js'

/** Returns a category or a type in words: `API_CREDENTIAL` is `API credential`. */
export function categoryName(category: string): string {
  const words = category.toLowerCase().replaceAll('_', ' ')
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(
    /^(Api|Ssh|Url|Totp|Otp)\b/,
    (word) => word.toUpperCase(),
  )
}

/** Returns the type of a field in words. */
export function typeName(type: string): string {
  return findFieldType(type)?.name ?? categoryName(type)
}

/** Compares two names as people sort them: `Key 2` is before `Key 10`. */
export const compareNames = new Intl.Collator(undefined, { numeric: true }).compare

/** Returns a time of RFC 3339 in the time zone and the format of the browser. */
export function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
}

/** Returns a number of bytes in the largest unit of which there is at least one. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`
}

/** Returns the title of an item, which may be missing or empty. */
export function titleOf({ title }: { readonly title?: string | undefined }): string {
  return title?.trim() ? title : 'Untitled'
}
