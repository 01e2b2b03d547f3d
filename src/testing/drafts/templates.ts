/** The titles, sections and fields of drafts, by category. All values are invented samples. */

import type { FieldType, ItemCategory } from '../../index.js'
import type { CategoryFields } from './field-ids.js'

/** A field of a template: id, type, label, value, and the id of its section if it is in one. */
export type FieldTemplate<Id extends string = string> = readonly [
  id: Id,
  type: FieldType,
  label: string,
  value: string,
  section?: string,
]

/** A template of a category. */
export interface Template<Id extends string = string> {
  readonly title: string
  /** Labels by id. By default there are no sections. */
  readonly sections?: Readonly<Record<string, string>>
  readonly url?: string
  readonly fields: readonly FieldTemplate<Id>[]
}

/** The templates. The ids of fields and sections are those of the published service. */
export const templates: { readonly [Name in ItemCategory]: Template<CategoryFields[Name]> } = {
  LOGIN: {
    title: 'Example',
    sections: { more: 'More' },
    url: 'https://example.com/login',
    fields: [
      ['username', 'STRING', 'username', 'wendy'],
      ['password', 'CONCEALED', 'password', 'correct horse battery staple'],
      ['one_time_code', 'TOTP', 'one-time code', 'JBSWY3DPEHPK3PXP', 'more'],
    ],
  },
  PASSWORD: {
    title: 'Garage door',
    fields: [['password', 'CONCEALED', 'password', '8264-tulip-anchor']],
  },
  API_CREDENTIAL: {
    title: 'Payment API',
    fields: [
      ['username', 'STRING', 'username', 'shop-backend'],
      ['credential', 'CONCEALED', 'credential', 'key_test_51H8aZ2eQvK9'],
      ['type', 'MENU', 'type', 'bearer'],
      ['hostname', 'STRING', 'hostname', 'api.example.com'],
      ['validFrom', 'DATE', 'valid from', '2026-01-01'],
      ['expires', 'DATE', 'expires', '2027-01-01'],
    ],
  },
  SERVER: {
    title: 'Build server',
    sections: { admin_console: 'Admin Console' },
    fields: [
      ['url', 'STRING', 'URL', 'ssh://build.example.com'],
      ['username', 'STRING', 'username', 'deploy'],
      ['password', 'CONCEALED', 'password', 'lantern-47-orbit'],
      ['admin_console_url', 'STRING', 'URL', 'https://admin.example.com', 'admin_console'],
      ['admin_console_password', 'CONCEALED', 'password', 'velvet-93-moss', 'admin_console'],
    ],
  },
  DATABASE: {
    title: 'Orders',
    fields: [
      ['database_type', 'MENU', 'type', 'postgresql'],
      ['hostname', 'STRING', 'server', 'db.example.com'],
      ['port', 'STRING', 'port', '5432'],
      ['database', 'STRING', 'database', 'orders'],
      ['username', 'STRING', 'username', 'shop'],
      ['password', 'CONCEALED', 'password', 'quartz-16-meadow'],
      ['options', 'STRING', 'connection options', 'sslmode=verify-full'],
    ],
  },
  CREDIT_CARD: {
    title: 'Company card',
    sections: { details: 'Additional Details' },
    fields: [
      ['cardholder', 'STRING', 'cardholder name', 'Wendy Appleseed'],
      ['type', 'MENU', 'type', 'visa'],
      ['ccnum', 'CONCEALED', 'number', '4242424242424242'],
      ['cvv', 'CONCEALED', 'verification number', '123'],
      ['expiry', 'MONTH_YEAR', 'expiry date', '202912'],
      ['validFrom', 'MONTH_YEAR', 'valid from', '202601'],
      ['pin', 'CONCEALED', 'PIN', '7391', 'details'],
    ],
  },
  MEMBERSHIP: {
    title: 'Climbing gym',
    fields: [
      ['org_name', 'STRING', 'group', 'Example Climbing'],
      ['website', 'URL', 'website', 'https://climbing.example.com'],
      ['member_name', 'STRING', 'member name', 'Wendy Appleseed'],
      ['membership_no', 'STRING', 'member ID', 'C-20417'],
      ['member_since', 'MONTH_YEAR', 'member since', '202403'],
      ['pin', 'CONCEALED', 'PIN', '5580'],
    ],
  },
  PASSPORT: {
    title: 'Passport',
    fields: [
      ['type', 'STRING', 'type', 'P'],
      ['issuing_country', 'STRING', 'issuing country', 'Utopia'],
      ['number', 'STRING', 'number', 'X0000001'],
      ['fullname', 'STRING', 'full name', 'Wendy Appleseed'],
      ['nationality', 'STRING', 'nationality', 'Utopian'],
      ['birthdate', 'DATE', 'date of birth', '1990-02-28'],
      ['issue_date', 'DATE', 'issued on', '2024-02-29'],
      ['expiry_date', 'DATE', 'expiry date', '2034-02-28'],
    ],
  },
  SOFTWARE_LICENSE: {
    title: 'Photo editor',
    sections: { customer: 'Customer', order: 'Order' },
    fields: [
      ['product_version', 'STRING', 'version', '4.2'],
      ['reg_code', 'CONCEALED', 'license key', 'AAAA-BBBB-CCCC-0001'],
      ['reg_name', 'STRING', 'licensed to', 'Wendy Appleseed', 'customer'],
      ['reg_email', 'EMAIL', 'registered email', 'wendy@example.com', 'customer'],
      ['order_date', 'DATE', 'purchase date', '2026-01-15', 'order'],
    ],
  },
  OUTDOOR_LICENSE: {
    title: 'Fishing license',
    fields: [
      ['name', 'STRING', 'full name', 'Wendy Appleseed'],
      ['valid_from', 'DATE', 'valid from', '2026-04-01'],
      ['expires', 'DATE', 'expires', '2027-03-31'],
      ['game', 'STRING', 'approved wildlife', 'Trout'],
      ['state', 'STRING', 'state', 'Lakeland'],
      ['country', 'STRING', 'country', 'Utopia'],
    ],
  },
  SECURE_NOTE: { title: 'Alarm code', fields: [] },
  WIRELESS_ROUTER: {
    title: 'Office network',
    fields: [
      ['name', 'STRING', 'base station name', 'router-1'],
      ['password', 'CONCEALED', 'base station password', 'harbor-58-cedar'],
      ['server', 'STRING', 'server / IP address', '192.0.2.1'],
      ['network_name', 'STRING', 'network name', 'example-office'],
      ['wireless_security', 'MENU', 'wireless security', 'wpa3'],
      ['wireless_password', 'CONCEALED', 'wireless network password', 'ribbon-21-glacier'],
    ],
  },
  BANK_ACCOUNT: {
    title: 'Company account',
    fields: [
      ['bankName', 'STRING', 'bank name', 'Example Bank'],
      ['owner', 'STRING', 'name on account', 'Wendy Appleseed'],
      ['accountType', 'MENU', 'type', 'checking'],
      ['routingNo', 'STRING', 'routing number', '000000000'],
      ['accountNo', 'CONCEALED', 'account number', '0532013000'],
      ['swift', 'STRING', 'SWIFT', 'EXMPDEFFXXX'],
      ['iban', 'STRING', 'IBAN', 'DE89370400440532013000'],
      ['telephonePin', 'CONCEALED', 'PIN', '9042'],
    ],
  },
  DRIVER_LICENSE: {
    title: "Driver's license",
    fields: [
      ['fullname', 'STRING', 'full name', 'Wendy Appleseed'],
      ['birthdate', 'DATE', 'date of birth', '1990-02-28'],
      ['number', 'STRING', 'number', 'D000-0001'],
      ['class', 'STRING', 'license class', 'B'],
      ['state', 'STRING', 'state', 'Lakeland'],
      ['country', 'STRING', 'country', 'Utopia'],
      ['expiry_date', 'MONTH_YEAR', 'expiry date', '203102'],
    ],
  },
  IDENTITY: {
    title: 'Wendy Appleseed',
    sections: { name: 'Identification', address: 'Address', internet: 'Internet Details' },
    fields: [
      ['firstname', 'STRING', 'first name', 'Wendy', 'name'],
      ['lastname', 'STRING', 'last name', 'Appleseed', 'name'],
      ['birthdate', 'DATE', 'birth date', '1990-02-28', 'name'],
      ['company', 'STRING', 'company', 'Example Ltd', 'name'],
      ['defphone', 'STRING', 'default phone', '+1 555 0100', 'address'],
      ['email', 'EMAIL', 'email', 'wendy@example.com', 'internet'],
    ],
  },
  REWARD_PROGRAM: {
    title: 'Air miles',
    sections: { extra: 'More Information' },
    fields: [
      ['company_name', 'STRING', 'company name', 'Example Air'],
      ['member_name', 'STRING', 'member name', 'Wendy Appleseed'],
      ['membership_no', 'STRING', 'member ID', 'EA-778812'],
      ['pin', 'CONCEALED', 'PIN', '3317'],
      ['website', 'URL', 'website', 'https://air.example.com', 'extra'],
    ],
  },
  DOCUMENT: { title: 'Rental contract', fields: [] },
  EMAIL_ACCOUNT: {
    title: 'Support mailbox',
    sections: { SMTP: 'SMTP' },
    fields: [
      ['pop_type', 'MENU', 'type', 'imap'],
      ['pop_username', 'STRING', 'username', 'support@example.com'],
      ['pop_server', 'STRING', 'server', 'imap.example.com'],
      ['pop_port', 'STRING', 'port number', '993'],
      ['pop_password', 'CONCEALED', 'password', 'pepper-64-island'],
      ['smtp_server', 'STRING', 'SMTP server', 'smtp.example.com', 'SMTP'],
      ['smtp_username', 'STRING', 'username', 'support@example.com', 'SMTP'],
      ['smtp_password', 'CONCEALED', 'password', 'walnut-35-breeze', 'SMTP'],
    ],
  },
  SOCIAL_SECURITY_NUMBER: {
    title: 'Social security number',
    fields: [
      ['name', 'STRING', 'name', 'Wendy Appleseed'],
      // Numbers that begin with 000 are never issued.
      ['number', 'CONCEALED', 'number', '000-12-3456'],
    ],
  },
  MEDICAL_RECORD: {
    title: 'Vaccination',
    sections: { medication: 'Medication' },
    fields: [
      ['date', 'DATE', 'date', '2026-03-10'],
      ['location', 'STRING', 'location', 'Example Clinic'],
      ['healthcareprofessional', 'STRING', 'healthcare professional', 'Dr. Carl Example'],
      ['patient', 'STRING', 'patient', 'Wendy Appleseed'],
      ['reason', 'STRING', 'reason for visit', 'Vaccination'],
      ['medication', 'STRING', 'medication', 'Tetanus vaccine', 'medication'],
      ['dosage', 'STRING', 'dosage', '0.5 ml', 'medication'],
    ],
  },
  SSH_KEY: {
    title: 'Deploy key',
    fields: [
      ['private_key', 'CONCEALED', 'private key', '<placeholder of a private key>'],
      ['public_key', 'STRING', 'public key', 'ssh-ed25519 AAAAexample wendy@example.com'],
      ['fingerprint', 'STRING', 'fingerprint', 'SHA256:example'],
      ['key_type', 'STRING', 'key type', 'ed25519'],
    ],
  },
  CUSTOM: {
    title: 'Custom',
    fields: [
      ['setting', 'STRING', 'setting', 'on'],
      ['secret', 'CONCEALED', 'secret', 'copper-72-willow'],
    ],
  },
}
