/**
 * The parts of zod that the library uses. The package bundles them once for each format, so that
 * nobody installs or loads the rest.
 */

// biome-ignore lint/performance/noBarrelFile: without it, each file of the CommonJS format has a copy
export {
  array,
  boolean,
  compile,
  type core,
  custom,
  enum,
  exactOptional,
  extend,
  gte,
  guid,
  int,
  iso,
  literal,
  lte,
  maxLength,
  minLength,
  nullable,
  number,
  object,
  optional,
  type output,
  partial,
  record,
  refine,
  regex,
  string,
  unknown,
  validate,
  type ZodMiniObject,
  type ZodMiniType,
} from 'zod/mini'
