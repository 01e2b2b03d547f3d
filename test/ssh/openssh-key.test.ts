import { describe, expect, it } from 'vitest'
import { formatKeyPair } from '../../src/ssh/openssh-key.js'

/** A key that `ssh-keygen -t ed25519 -C wendy@example.com` of OpenSSH has created for this test. */
const vector = {
  seed: 'e78e8f74b1067e572c922365dcd4bd510ac93126b2f2a41d24eed549e3fb205c',
  publicKey: '57ab758d0fc725c589a61ac75868c73f7cf4a45e0e0ba637c04a4e1c8e1e3659',
  checkBytes: 'af9ed2d5',
  body: `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACBXq3WND8clxYmmGsdYaMc/fPSkXg4LpjfASk4cjh42WQAAAJivntLVr57S
1QAAAAtzc2gtZWQyNTUxOQAAACBXq3WND8clxYmmGsdYaMc/fPSkXg4LpjfASk4cjh42WQ
AAAEDnjo90sQZ+VyySI2Xc1L1RCskxJrLypB0k7tVJ4/sgXFerdY0PxyXFiaYax1hoxz98
9KReDgumN8BKThyOHjZZAAAAEXdlbmR5QGV4YW1wbGUuY29tAQIDBA==`,
  line: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFerdY0PxyXFiaYax1hoxz989KReDgumN8BKThyOHjZZ wendy@example.com',
  fingerprint: 'SHA256:RuIcE7kAXdNpWSOW10MZuEM0M2eqk7iXbX0XBtXOstQ',
}

const fromHex = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, 'hex'))

const parts = {
  seed: fromHex(vector.seed),
  publicKey: fromHex(vector.publicKey),
  checkBytes: fromHex(vector.checkBytes),
}

describe('formatKeyPair', () => {
  it('returns the files and the fingerprint of ssh-keygen', async () => {
    expect(await formatKeyPair({ ...parts, comment: 'wendy@example.com' })).toEqual({
      privateKey: `-----BEGIN OPENSSH PRIVATE KEY-----\n${vector.body}\n-----END OPENSSH PRIVATE KEY-----\n`,
      publicKey: vector.line,
      fingerprint: vector.fingerprint,
    })
  })

  it.each(['', 'a', 'abc', 'abcd', 'abcdefg', 'abcdefgh'])(
    'pads the private key to blocks of 8 bytes with the comment %j',
    async (comment) => {
      const { privateKey, publicKey } = await formatKeyPair({ ...parts, comment })
      const file = Buffer.from(privateKey.split('\n').slice(1, -2).join(''), 'base64')
      // 39 bytes of algorithms and counts, the public key of 51 and its length, and a length.
      const secret = file.subarray(39 + 4 + 51 + 4)
      expect(file.readUInt32BE(39 + 4 + 51)).toBe(secret.length)
      expect(secret.length % 8).toBe(0)
      const used = 4 + 4 + 51 + 68 + 4 + comment.length
      const padding = [...secret.subarray(used)]
      expect(padding).toEqual(Array.from({ length: -used & 7 }, (_, index) => index + 1))
      expect(publicKey.split(' ').slice(2).join(' ')).toBe(comment)
    },
  )
})
