/** Type-level assertions, which the compiler checks. */

/** `true` if the two types are identical, `false` otherwise. */
type Equal<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2
    ? true
    : false

/** The type without `readonly` and with `string` in place of open string unions, at all levels. */
type Mutable<Type> = string extends Type
  ? string
  : Type extends object
    ? { -readonly [Key in keyof Type]: Mutable<Type[Key]> }
    : Type

/** `true` if the two types are identical except for `readonly` and `string & {}`. */
export type SameShape<Left, Right> = Equal<Mutable<Left>, Mutable<Right>>
