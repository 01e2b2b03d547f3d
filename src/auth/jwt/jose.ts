/**
 * The parts of `jose` that the library uses. No other source imports `jose`, because each file of
 * the CommonJS format would then have a copy, and a copy does not recognize the errors of another
 * copy. A valid token could then be rejected.
 */

// biome-ignore lint/performance/noBarrelFile: without it, each file of the CommonJS format has a copy
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
