/** Hostile files: too large, missing or altered content, dangerous names, and invalid uploads. */

import { canary, type HostileRequest, type ServiceSetup } from './hostile-case.js'

const item = '/v1/vaults/{vaultId}/items/{itemId}'
const file = `${item}/files/{smallFileId}`

const failingBlobs: ServiceSetup = {
  faultOf: ({ store }) => (store === 'blobs' ? 'fail-before' : undefined),
  error: new Error(canary),
}

/** Deletes every blob. If `content` is passed, writes it instead. */
function replaceBlobs(content?: string): ServiceSetup {
  return {
    async prepare(_vault, { blobs, blobIds }) {
      for (const id of await blobIds()) {
        await blobs.delete(id)
        if (content !== undefined) await blobs.write(id, new Blob([content]).stream())
      }
      return {}
    },
  }
}

/** File names, and the content-disposition of their download (RFC 6266, RFC 8187). */
const names: readonly (readonly [feature: string, name: string, header: string])[] = [
  [
    'a line break',
    'a\r\nx-evil: 1',
    `filename="a__x-evil: 1"; filename*=UTF-8''a%0D%0Ax-evil%3A%201`,
  ],
  ['quotes', 'a".html"', `filename="a_.html_"; filename*=UTF-8''a%22.html%22`],
  [
    'a parameter',
    'a"; filename="b',
    `filename="a_; filename=_b"; filename*=UTF-8''a%22%3B%20filename%3D%22b`,
  ],
  ['a backslash', 'a\\', `filename="a_"; filename*=UTF-8''a%5C`],
  ['an apostrophe', "a'b", `filename="a'b"; filename*=UTF-8''a%27b`],
  ['a percent sign', '%0d%0a', `filename="_0d_0a"; filename*=UTF-8''%250d%250a`],
  [
    'a right-to-left override',
    'a\u202etxt.exe',
    `filename="a_txt.exe"; filename*=UTF-8''a%E2%80%AEtxt.exe`,
  ],
  ['letters outside ASCII', 'ключ', `filename="____"; filename*=UTF-8''%D0%BA%D0%BB%D1%8E%D1%87`],
  ['an emoji', '🗝', `filename="__"; filename*=UTF-8''%F0%9F%97%9D`],
  ['a control character', 'a\u0001\u007f', `filename="a__"; filename*=UTF-8''a%01%7F`],
  ['a path traversal', '../../a', `filename="../../a"; filename*=UTF-8''..%2F..%2Fa`],
]

function withFileName(name: string): ServiceSetup {
  return {
    async prepare({ service, caller, vaultId, item: { id: itemId } }) {
      const content = new Uint8Array(0)
      const { id } = await service.attachFile(caller, { vaultId, itemId, name, content })
      return { namedId: id }
    },
  }
}

const withExtensions: ServiceSetup = { http: { extensions: true, maxFileBytes: 1000 } }
const withShortTimeout: ServiceSetup = { http: { ...withExtensions.http, bodyTimeoutMs: 40 } }

const upload = (
  name: string,
  row: Partial<HostileRequest> & { status: number },
): HostileRequest => ({
  name: `an upload ${name}`,
  method: 'POST',
  target: `${item}/files?name=a`,
  lines: ['content-type: application/octet-stream'],
  body: canary,
  setup: withExtensions,
  ...row,
})
const uploadTo = (query: string): HostileRequest =>
  upload(`for the query ${query}`, { target: `${item}/files?${query}`, status: 400 })
const chunked = ['transfer-encoding: chunked']

const uploads: readonly HostileRequest[] = [
  ...['name=a%00b', 'name=a&section_id=%00', 'name=a&file_id=../x'].map(uploadTo),
  ...['name=a&file_id={smallFileId}', `name=${'a'.repeat(10_000)}%00`].map(uploadTo),
  upload('one byte over the limit', { body: ' '.repeat(1001), status: 413 }),
  upload('with a declared length of a terabyte', {
    lines: ['content-length: 999999999999'],
    body: '',
    status: 413,
  }),
  upload('with chunks over the limit', {
    lines: chunked,
    body: `3e9\r\n${' '.repeat(1001)}\r\n0\r\n\r\n`,
    status: 413,
  }),
  upload('that stalls in the middle', {
    lines: ['content-length: 100'],
    status: 408,
    setup: withShortTimeout,
  }),
  upload('with chunks that stall', {
    lines: chunked,
    body: '1\r\na\r\n',
    status: 408,
    setup: withShortTimeout,
  }),
  upload('with a content encoding', { lines: ['content-encoding: gzip'], status: 415 }),
  ...['form-data; boundary=b', 'form-data', 'mixed; boundary=b', ''].map((type) =>
    upload(`of the type multipart/${type}`, {
      lines: [`content-type: multipart/${type}`],
      body: `--b\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n${canary}\r\n--b--`,
      status: 415,
    }),
  ),
  upload('to a missing item', {
    target: '/v1/vaults/{vaultId}/items/{absent}/files?name=a',
    status: 404,
  }),
  upload('to a missing vault', {
    target: '/v1/vaults/{absent}/items/{itemId}/files?name=a',
    status: 404,
  }),
  upload('by a caller that can only read', { as: 'reader', status: 403 }),
  upload('without a token', { as: null, status: 401 }),
  upload('by a client that disconnects', {
    lines: ['content-length: 900'],
    disconnects: true,
    status: 0,
  }),
]

const internalError = 'Internal server error'

/** Requests about hostile files. */
export const hostileFiles: readonly HostileRequest[] = [
  ...['', '?inline_files=false'].flatMap((query) => [
    {
      name: `a file${query} with an unreadable blob`,
      target: file + query,
      status: 200,
      setup: failingBlobs,
    },
    {
      name: `the files${query} with unreadable blobs`,
      target: `${item}/files${query}`,
      status: 200,
      setup: failingBlobs,
    },
  ]),
  {
    name: 'a large file to inline with an unreadable blob',
    target: `${item}/files/{largeFileId}?inline_files=true`,
    status: 413,
    setup: failingBlobs,
  },
  ...(
    [
      ['is unreadable', failingBlobs],
      ['is missing', replaceBlobs()],
      ['is one byte short', replaceBlobs('hell')],
      ['is too long', replaceBlobs(`${canary}!`)],
      ['is empty', replaceBlobs('')],
    ] as const
  ).flatMap(([state, setup]) => [
    {
      name: `a file to inline whose blob ${state}`,
      target: `${file}?inline_files=true`,
      status: 500,
      message: internalError,
      setup,
    },
    {
      name: `files to inline of which one blob ${state}`,
      target: `${item}/files?inline_files=true`,
      status: 500,
      message: internalError,
      setup,
    },
  ]),
  ...(
    [
      ['is unreadable', failingBlobs],
      ['is missing', replaceBlobs()],
    ] as const
  ).map(([state, setup]) => ({
    name: `a download whose blob ${state}`,
    target: `${file}/content`,
    status: 500,
    message: internalError,
    setup,
  })),
  ...names.map(([feature, name, header]) => ({
    name: `the download of a file with ${feature} in its name`,
    target: `${item}/files/{namedId}/content`,
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; ${header}`,
      'x-evil': null,
    },
    setup: withFileName(name),
  })),
  ...uploads,
]
