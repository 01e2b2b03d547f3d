/**
 * What the package uses of `jose`. The CommonJS build contains a copy of `jose` in the file of each
 * source that imports it, and `instanceof` does not recognize an error of another copy. So this is
 * the only source that imports it.
 */

export {
  calculateJwkThumbprint,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose'
