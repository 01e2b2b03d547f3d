/** Small files that no import understands, and how each is refused. */

import { toBytes, toJson } from './import-vectors.js'
import { writeZip } from './zip-files.js'

/** A file that is refused. */
export interface RefusedFile {
  readonly file: string
  readonly bytes: Uint8Array
  readonly message: RegExp
}

const detour = "import it into 1Password or Bitwarden first, and export 1PUX or Bitwarden's JSON"
const unknown = new RegExp(`^the format of the export is not recognized: .*${detour} from there$`)

function refusal(name: string, remedy = `${detour} from there`): RegExp {
  return new RegExp(`^the file is ${name}, which cannot be imported: ${remedy}$`)
}

const inPlainJson = 'export again as ".json" without a password'
const vault = { attrs: { uuid: 'v', name: 'Home' }, items: [{ uuid: 'i' }] }
const credential = { type: 'basic-auth', password: { value: 'SWORDFISH-1' } }

/** By what they are: a text, a value that becomes JSON, or bytes. */
const files: readonly (readonly [file: string, content: unknown, message: RegExp])[] = [
  [
    'the CSV of LastPass',
    'url,username,password,totp,extra,name,grouping,fav\nhttps://a.example,w,SWORDFISH-1,,,A,,0\n',
    refusal('a CSV file of LastPass'),
  ],
  [
    'the CSV of Chrome',
    '"name","url","username","password","note"\r\n"A","https://a.example","w","SWORDFISH-1",""\r\n',
    refusal('a CSV file of Chrome or another browser'),
  ],
  [
    'the CSV of Firefox',
    '"url","username","password","httpRealm","formActionOrigin","guid"\n"a","w","SWORDFISH-1"\n',
    refusal('a CSV file of Firefox'),
  ],
  [
    'the CSV of NordPass',
    'name,url,username,password,note,cardholdername,cardnumber\nA,,w,SWORDFISH-1\n',
    refusal('a CSV file of NordPass'),
  ],
  [
    'the CSV of Bitwarden',
    'folder,favorite,type,name,login_uri,login_username,login_password\n,,login,A,,w,SWORDFISH-1\n',
    refusal('a CSV file of Bitwarden', inPlainJson),
  ],
  [
    'the CSV of 1Password',
    'Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes\nA,,w,SWORDFISH-1,,,,,\n',
    refusal('a CSV file of 1Password', 'export again as 1PUX'),
  ],
  ['a CSV without a header', 'https://a.example,wendy,SWORDFISH-1\n', refusal('a CSV file')],
  ['a CSV with semicolons', 'title;password\nA;SWORDFISH-1\n', refusal('a CSV file')],
  ['a CSV in UTF-16', Buffer.from('\ufeffa,b\r\n', 'utf16le'), refusal('a CSV file')],
  [
    'an archive of CSV files',
    writeZip([{ name: 'credentials.csv', content: toBytes('title,password\nA,SWORDFISH-1\n') }]),
    refusal('an archive of CSV files'),
  ],
  [
    'the Credential Exchange Format',
    { version: { major: 1, minor: 0 }, accounts: [{ items: [{ credentials: [credential] }] }] },
    refusal('a document in the Credential Exchange Format'),
  ],
  [
    'an account in the Credential Exchange Format',
    { id: 'a', username: 'w', collections: [], items: [{ id: 'i', credentials: [credential] }] },
    refusal('a document in the Credential Exchange Format'),
  ],
  [
    'the JSON of Proton Pass',
    { encrypted: false, vaults: {} },
    refusal('an export of Proton Pass'),
  ],
  [
    'the archive of Proton Pass',
    writeZip([{ name: 'Proton Pass/data.json', content: toJson({ encrypted: false }) }]),
    refusal('an export of Proton Pass'),
  ],
  [
    'the JSON of Enpass',
    { folders: [], items: [{ template_type: 'login.default', fields: [], uuid: 'i' }] },
    refusal('an export of Enpass'),
  ],
  [
    'the JSON of Keeper',
    { shared_folders: [], records: [{ title: 'A', password: 'SWORDFISH-1' }] },
    refusal('an export of Keeper'),
  ],
  [
    'the records of Keeper alone',
    { records: [{ title: 'A', password: 'SWORDFISH-1' }] },
    refusal('an export of Keeper'),
  ],
  [
    'the JSON of Dashlane',
    { AUTHENTIFIANT: [{ title: 'A', password: 'SWORDFISH-1' }] },
    refusal('an export of Dashlane'),
  ],
  [
    'the XML of KeePass',
    '<?xml version="1.0" encoding="utf-8"?>\n<KeePassFile><Root/></KeePassFile>',
    refusal('an XML file of KeePass'),
  ],
  ['a web page', '<!doctype html>\n<title>a, b</title>', refusal('an XML or HTML file')],
  [
    'a database of KeePass',
    new Uint8Array([0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5, 0x01, 0x00]),
    refusal('a database of KeePass'),
  ],
  [
    'the export.data of a 1PUX file',
    { accounts: [{ vaults: [vault] }] },
    refusal('the export.data of a 1PUX file', 'import the 1PUX file that contains it'),
  ],
  [
    'an export of Bitwarden with a password',
    { encrypted: true, passwordProtected: true, salt: 'a', data: 'b' },
    refusal('an export of Bitwarden that is protected by a password', inPlainJson),
  ],
  [
    'an encrypted export of Bitwarden',
    { encrypted: true, folders: [], items: [{ type: 1, name: '2.a|b|c' }] },
    refusal('an export of Bitwarden that is encrypted with the key of an account', inPlainJson),
  ],
  [
    'an export of cofferkit',
    '{"format":"cofferkit-export","version":1}\n{"end":{"vaults":0,"items":0,"files":0}}\n',
    refusal('an export of cofferkit', 'import it with "cofferkit import" and without "--from"'),
  ],
  ['an empty file', '', unknown],
  ['a word', 'SWORDFISH-1', unknown],
  ['an empty object', {}, unknown],
  ['an empty array', [], unknown],
  ['a list of items', [{ type: 1, name: 'A' }], unknown],
  ['accounts without anything', { accounts: [] }, unknown],
  ['accounts of an unknown kind', { accounts: [{ name: 'A', secret: 'SWORDFISH-1' }] }, unknown],
  ['items without a frame', { items: [{ type: 1, name: 'A' }] }, unknown],
  ['items without a type', { encrypted: false, items: [{ name: 'A' }] }, unknown],
  ['no items', { encrypted: false, folders: [] }, unknown],
  ['folders without items', { folders: [{ title: 'A' }], items: [] }, unknown],
  ['no vaults', writeZip([{ name: 'export.data', content: toJson({ accounts: [] }) }]), unknown],
  ['another archive', writeZip([{ name: 'a.txt', content: toBytes('a') }]), unknown],
]

/** Returns files of every kind that is refused. */
export function listRefusedFiles(): readonly RefusedFile[] {
  return files.map(([file, content, message]) => ({ file, bytes: toFile(content), message }))
}

function toFile(content: unknown): Uint8Array {
  if (content instanceof Uint8Array) return content
  return typeof content === 'string' ? toBytes(content) : toJson(content)
}
