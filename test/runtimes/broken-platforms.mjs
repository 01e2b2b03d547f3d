/** Broken platforms, with defects of real ones, and the check that detects each. */

/** `breaks` breaks the platform and returns a function that restores it. */
export const brokenPlatforms = {
  'randomness that is a constant': {
    check: 'generates unique ids and tokens',
    breaks: () => replace(crypto, 'getRandomValues', () => (bytes) => bytes.fill(7)),
  },
  'randomness of four bits in a byte': {
    check: 'generates values in which every character occurs',
    breaks: () =>
      replace(crypto, 'getRandomValues', (draw) => (bytes) => draw(bytes).map((byte) => byte & 15)),
  },
  'UUIDs that are all the same': {
    check: 'memory: sends its headers and a new request id with every response',
    breaks: () => replace(crypto, 'randomUUID', () => () => '00000000-0000-4000-8000-000000000000'),
  },
  'a digest that ignores its input': {
    check: 'digests a token with SHA-256',
    breaks: () => replace(crypto.subtle, 'digest', () => async () => new ArrayBuffer(32)),
  },
  'a signature that is always valid': {
    check: 'rejects a JSON Web Token that is changed, expired or for another audience',
    breaks: () => replace(crypto.subtle, 'verify', () => async () => true),
  },
  'a decoder that replaces invalid UTF-8': {
    check: 'memory: returns 400 for a body that is not JSON in UTF-8',
    breaks: () =>
      replace(
        TextDecoder.prototype,
        'decode',
        (decode) => (bytes) => decode.call(new TextDecoder(), bytes),
      ),
  },
  'streams that lose a byte': {
    check: 'memory: attaches a file from a stream and reads it back as one',
    breaks: () =>
      replace(
        Blob.prototype,
        'stream',
        (stream) =>
          function () {
            return stream.call(this.slice(1))
          },
      ),
  },
}

/**
 * Replaces a method by the result of `replacement`. The original is bound where it is a method of a
 * platform object.
 */
function replace(owner, name, replacement) {
  const inherited = !Object.hasOwn(owner, name)
  const original = owner[name]
  const isBound = !owner.constructor?.prototype || owner.constructor.prototype !== owner
  owner[name] = replacement(isBound ? original.bind(owner) : original)
  return () => {
    if (inherited) delete owner[name]
    else owner[name] = original
  }
}
