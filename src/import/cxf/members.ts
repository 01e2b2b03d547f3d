/**
 * The credentials of the Credential Exchange Format 1.0 (FIDO Alliance, Proposed Standard of August
 * 14, 2025, section 3) that consist of fields.
 */

import type { ItemCategory } from '../../index.js'

/** A kind of credential. */
export interface CredentialKind {
  readonly category: ItemCategory
  /** The label of the section. */
  readonly label: string
  /** The members that are fields, with the ids that published clients use. */
  readonly members: readonly (readonly [name: string, id: string])[]
}

const person = {
  fullName: 'fullname',
  birthDate: 'birthdate',
  birthPlace: 'birthplace',
  sex: 'sex',
}
const document = {
  issueDate: 'issue_date',
  expiryDate: 'expiry_date',
  issuingAuthority: 'issuing_authority',
}

/**
 * The kinds by `type`, in the order in which they decide the category of an item with several
 * credentials.
 */
export const credentialKinds: ReadonlyMap<string, CredentialKind> = new Map([
  [
    'credit-card',
    {
      category: 'CREDIT_CARD',
      label: 'Credit card',
      members: Object.entries({
        number: 'ccnum',
        fullName: 'cardholder',
        cardType: 'type',
        verificationNumber: 'cvv',
        pin: 'pin',
        expiryDate: 'expiry',
        validFrom: 'validFrom',
      }),
    },
  ],
  [
    'api-key',
    {
      category: 'API_CREDENTIAL',
      label: 'API key',
      members: Object.entries({
        key: 'credential',
        username: 'username',
        keyType: 'type',
        url: 'hostname',
        validFrom: 'validFrom',
        expiryDate: 'expires',
      }),
    },
  ],
  [
    'ssh-key',
    {
      category: 'SSH_KEY',
      label: 'SSH key',
      members: Object.entries({
        creationDate: 'creation_date',
        expiryDate: 'expiry_date',
        keyGenerationSource: 'key_generation_source',
      }),
    },
  ],
  [
    'wifi',
    {
      category: 'WIRELESS_ROUTER',
      label: 'Wi-Fi',
      members: Object.entries({
        ssid: 'network_name',
        networkSecurityType: 'wireless_security',
        passphrase: 'wireless_password',
        hidden: 'hidden',
      }),
    },
  ],
  [
    'passport',
    {
      category: 'PASSPORT',
      label: 'Passport',
      members: Object.entries({
        ...{ issuingCountry: 'issuing_country', passportType: 'type', passportNumber: 'number' },
        ...{ nationalIdentificationNumber: 'national_id', nationality: 'nationality' },
        ...person,
        ...document,
      }),
    },
  ],
  [
    'drivers-license',
    {
      category: 'DRIVER_LICENSE',
      label: "Driver's license",
      members: Object.entries({
        ...{ fullName: 'fullname', birthDate: 'birthdate' },
        ...document,
        ...{ territory: 'state', country: 'country' },
        ...{ licenseNumber: 'number', licenseClass: 'class' },
      }),
    },
  ],
  [
    'identity-document',
    {
      category: 'IDENTITY',
      label: 'Identity document',
      members: Object.entries({
        ...{ issuingCountry: 'issuing_country', documentNumber: 'number' },
        ...{ identificationNumber: 'identification_number', nationality: 'nationality' },
        ...person,
        ...document,
      }),
    },
  ],
  [
    'person-name',
    {
      category: 'IDENTITY',
      label: 'Name',
      members: Object.entries({
        title: 'title',
        given: 'firstname',
        givenInformal: 'nickname',
        given2: 'middlename',
        surnamePrefix: 'surname_prefix',
        surname: 'lastname',
        surname2: 'lastname2',
        credentials: 'credentials',
        generation: 'generation',
      }),
    },
  ],
  [
    'address',
    {
      category: 'IDENTITY',
      label: 'Address',
      members: Object.entries({
        streetAddress: 'street',
        postalCode: 'zip',
        city: 'city',
        territory: 'state',
        country: 'country',
        tel: 'phone',
      }),
    },
  ],
])
