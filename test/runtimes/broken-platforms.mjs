/** Platforms that are broken as real ones have been, each with the check that notices it. */

/** Each `breaks` breaks the platform, and answers a function that mends it. */
export const brokenPlatforms = {
  'randomness that is a constant': {
    check: 'draws ids and tokens that nobody has drawn before',
    breaks: () => replace(crypto, 'getRandomValues', () => (bytes) => bytes.fill(7)),
  },
  'randomness of four bits in a byte': {
    check: 'generates values in which every character occurs',
    breaks: () =>
      replace(crypto, 'getRandomValues', (draw) => (bytes) => draw(bytes).map((byte) => byte & 15)),
  },
  'UUIDs that are all the same': {
    check: 'memory: sends its headers with every answer, and a request id of its own',
    breaks: () => replace(crypto, 'randomUUID', () => () => '00000000-0000-4000-8000-000000000000'),
  },
  'a digest that forgets its input': {
    check: 'digests a token with SHA-256',
    breaks: () => replace(crypto.subtle, 'digest', () => async () => new ArrayBuffer(32)),
  },
  'a signature that is always right': {
    check: 'refuses a JSON Web Token that was changed, is too old, or is for another',
    breaks: () => replace(crypto.subtle, 'verify', () => async () => true),
  },
  'a decoder that mends what is not UTF-8': {
    check: 'memory: answers 400 to a body that is not JSON in UTF-8',
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

/** Puts what `replacement` makes of a method in its place. The method is bound, as some are of the platform's objects. */
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
