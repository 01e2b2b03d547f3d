/** Proofs about types: the compiler refuses a proof that does not hold. */

/** `true` if the two types are the same, `false` otherwise. */
type Equal<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2
    ? true
    : false

/** The type without `readonly` and without names for some of all strings, through all its levels. */
type Mutable<Type> = string extends Type
  ? string
  : Type extends object
    ? { -readonly [Key in keyof Type]: Mutable<Type[Key]> }
    : Type

/** `true` if the two types are the same but for `readonly` and for `string & {}`, which is `string` to the compiler. */
export type SameShape<Left, Right> = Equal<Mutable<Left>, Mutable<Right>>
