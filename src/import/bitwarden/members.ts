/** The members of the items of a Bitwarden export that become fields, by the kind of the item. */

import type { FieldType, ItemCategory } from '../../index.js'

/** A member that becomes a field: its name, and the id, the label and the type of the field. */
export type Member = readonly [name: string, id: string, label: string, type?: FieldType]

/** A kind of item. */
export interface ItemKind {
  readonly category: ItemCategory
  /** The member of an item with everything that only this kind has. */
  readonly name: string
  readonly members: readonly Member[]
}

/** The kinds by `type`. Logins and the dates of cards have their own code. */
export const itemKinds: ReadonlyMap<number, ItemKind> = new Map([
  [1, { category: 'LOGIN', name: 'login', members: [] }],
  [2, { category: 'SECURE_NOTE', name: 'secureNote', members: [] }],
  [
    3,
    {
      category: 'CREDIT_CARD',
      name: 'card',
      members: [
        ['cardholderName', 'cardholder', 'cardholder name'],
        ['brand', 'type', 'type'],
        ['number', 'ccnum', 'number', 'CONCEALED'],
        ['code', 'cvv', 'verification number', 'CONCEALED'],
      ],
    },
  ],
  [
    4,
    {
      category: 'IDENTITY',
      name: 'identity',
      members: [
        ['title', 'title', 'title'],
        ['firstName', 'firstname', 'first name'],
        ['middleName', 'middlename', 'middle name'],
        ['lastName', 'lastname', 'last name'],
        ['username', 'username', 'username'],
        ['company', 'company', 'company'],
        ['email', 'email', 'email', 'EMAIL'],
        ['phone', 'defphone', 'phone'],
        ['address1', 'address1', 'address 1'],
        ['address2', 'address2', 'address 2'],
        ['address3', 'address3', 'address 3'],
        ['city', 'city', 'city'],
        ['state', 'state', 'state'],
        ['postalCode', 'zip', 'postal code'],
        ['country', 'country', 'country'],
        ['ssn', 'ssn', 'social security number', 'CONCEALED'],
        ['passportNumber', 'passport', 'passport number', 'CONCEALED'],
        ['licenseNumber', 'license', 'license number', 'CONCEALED'],
      ],
    },
  ],
  [
    5,
    {
      category: 'SSH_KEY',
      name: 'sshKey',
      members: [
        ['privateKey', 'private_key', 'private key', 'CONCEALED'],
        ['publicKey', 'public_key', 'public key'],
        ['keyFingerprint', 'fingerprint', 'fingerprint'],
        ['fingerprint', 'fingerprint', 'fingerprint'],
      ],
    },
  ],
  [
    6,
    {
      category: 'BANK_ACCOUNT',
      name: 'bankAccount',
      members: [
        ['bankName', 'bankName', 'bank name'],
        ['nameOnAccount', 'owner', 'name on account'],
        ['accountType', 'accountType', 'type'],
        ['accountNumber', 'accountNo', 'account number', 'CONCEALED'],
        ['routingNumber', 'routingNo', 'routing number'],
        ['branchNumber', 'branchNo', 'branch number'],
        ['pin', 'telephonePin', 'PIN', 'CONCEALED'],
        ['swiftCode', 'swift', 'SWIFT'],
        ['iban', 'iban', 'IBAN', 'CONCEALED'],
        ['bankContactPhone', 'branchPhone', 'phone'],
      ],
    },
  ],
  [
    7,
    {
      category: 'DRIVER_LICENSE',
      name: 'driversLicense',
      members: [
        ['firstName', 'firstname', 'first name'],
        ['middleName', 'middlename', 'middle name'],
        ['lastName', 'lastname', 'last name'],
        ['licenseNumber', 'number', 'number', 'CONCEALED'],
        ['issuingCountry', 'country', 'country'],
        ['issuingState', 'state', 'state'],
        ['issuingAuthority', 'issuing_authority', 'issuing authority'],
        ['dateOfBirth', 'birthdate', 'date of birth', 'DATE'],
        ['issueDate', 'issue_date', 'issue date', 'DATE'],
        ['expirationDate', 'expiry_date', 'expiry date', 'DATE'],
        ['licenseClass', 'class', 'class'],
      ],
    },
  ],
  [
    8,
    {
      category: 'PASSPORT',
      name: 'passport',
      members: [
        ['givenName', 'firstname', 'first name'],
        ['surname', 'lastname', 'last name'],
        ['dateOfBirth', 'birthdate', 'date of birth', 'DATE'],
        ['birthPlace', 'birthplace', 'place of birth'],
        ['sex', 'sex', 'sex'],
        ['nationality', 'nationality', 'nationality'],
        ['passportNumber', 'number', 'number', 'CONCEALED'],
        ['passportType', 'type', 'type'],
        ['issuingCountry', 'issuing_country', 'issuing country'],
        ['issuingAuthority', 'issuing_authority', 'issuing authority'],
        ['nationalIdentificationNumber', 'national_id', 'national id', 'CONCEALED'],
        ['issueDate', 'issue_date', 'issue date', 'DATE'],
        ['expirationDate', 'expiry_date', 'expiry date', 'DATE'],
      ],
    },
  ],
])
