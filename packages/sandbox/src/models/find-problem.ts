import type { Validator } from 'typebox/compile'

/** Why a value does not satisfy its schema. */
export interface Problem {
  readonly kind: 'missing' | 'unknown' | 'invalid'
  /** The members from the request's root to the wrong one. */
  readonly path: readonly string[]
  /** What the value must be. */
  readonly detail: string
}

/**
 * Finds the first problem of a value.
 *
 * @param at where the value is in the request
 * @returns null without a problem
 */
export function findProblem(
  validator: Pick<Validator, 'Check' | 'Errors'>,
  value: unknown,
  at: readonly string[] = []
): Problem | null {
  if (validator.Check(value)) return null
  // A union reports the errors of every alternative. The deepest path belongs to the best match.
  const [error] = [...validator.Errors(value)].sort((a, b) => depth(b.instancePath) - depth(a.instancePath))
  const path = [...at, ...(error?.instancePath ?? '').split('/').slice(1)]
  const detail = error?.message ?? 'is not valid'
  if (error?.keyword === 'required') {
    return { kind: 'missing', path: [...path, error.params.requiredProperties[0] ?? ''], detail }
  }
  // A closed schema compares its further members with `false`.
  return { kind: error?.keyword === 'boolean' ? 'unknown' : 'invalid', path, detail }
}

function depth(path: string): number {
  return path.split('/').length
}
