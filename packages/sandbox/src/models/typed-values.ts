import type { Static, TLiteral, TObject, TProperties } from 'typebox'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type ApiError, findProblem, type Problem } from './api-error.ts'

type Table = Record<string, TProperties>

/** A value of one of the table's types. */
export type Typed<Kinds extends Table> = {
  [Name in keyof Kinds & string]: Static<TObject<{ type: TLiteral<Name> } & Kinds[Name]>>
}[keyof Kinds & string]

/**
 * Creates the parser of values that have a `type`, such as items, blocks and tools. Each type has a closed list of
 * members.
 *
 * @param refuse words the error about an invalid member
 */
export function typedParser<Kinds extends Table>(
  kinds: Kinds,
  refuse: (problem: Problem) => ApiError
): (value: unknown, path: readonly string[]) => Typed<Kinds> {
  const names = Object.keys(kinds)
  const validators = new Map(
    Object.entries(kinds).map(([name, members]) => [name, Compile(closed({ type: Type.Literal(name), ...members }))])
  )
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refuse({ kind: 'invalid', path, detail: 'must be object' })
    }
    const type: unknown = Reflect.get(value, 'type')
    if (type === undefined) throw refuse({ kind: 'missing', path: [...path, 'type'], detail: 'is required' })
    const validator = typeof type === 'string' ? validators.get(type) : undefined
    if (validator === undefined) {
      throw refuse({ kind: 'invalid', path: [...path, 'type'], detail: `must be one of ${names.join(', ')}` })
    }
    const problem = findProblem(validator, value, path)
    if (problem !== null) throw refuse(problem)
    return value as Typed<Kinds>
  }
}

/** An object without further members. */
export function closed<Members extends TProperties>(members: Members) {
  return Type.Object(members, { additionalProperties: false })
}

/** Optional members of any value, which the stand-in accepts and ignores. */
export function ignored<Name extends string>(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])) as Record<
    Name,
    ReturnType<typeof anything>
  >
}

const anything = () => Type.Optional(Type.Unknown())
