/** The categories of 1PUX files, by their ids. */

import type { ItemCategory } from '../../schema/item.js'

/** The categories by `categoryUuid`. Any other one becomes `CUSTOM`. */
export const categories: ReadonlyMap<string, ItemCategory> = new Map([
  ['001', 'LOGIN'],
  ['002', 'CREDIT_CARD'],
  ['003', 'SECURE_NOTE'],
  ['004', 'IDENTITY'],
  ['005', 'PASSWORD'],
  ['006', 'DOCUMENT'],
  ['100', 'SOFTWARE_LICENSE'],
  ['101', 'BANK_ACCOUNT'],
  ['102', 'DATABASE'],
  ['103', 'DRIVER_LICENSE'],
  ['104', 'OUTDOOR_LICENSE'],
  ['105', 'MEMBERSHIP'],
  ['106', 'PASSPORT'],
  ['107', 'REWARD_PROGRAM'],
  ['108', 'SOCIAL_SECURITY_NUMBER'],
  ['109', 'WIRELESS_ROUTER'],
  ['110', 'SERVER'],
  ['111', 'EMAIL_ACCOUNT'],
  ['112', 'API_CREDENTIAL'],
  ['113', 'MEDICAL_RECORD'],
  ['114', 'SSH_KEY'],
])
