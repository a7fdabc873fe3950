import type { OperatorRole } from '@tollgate/contracts/http/auth.ts'

/** Every role. An operator without a list of roles has all. */
const allRoles: readonly OperatorRole[] = ['read', 'support', 'money']

/**
 * Reads `app_metadata.role` of the identity provider. `operator`: an operator with every role. `operator:support`, or
 * `operator:support,money`: one with these roles, and `read`. Any other value, also one that names no known role, is no operator.
 *
 * @returns `operatorRoles`: the roles, separated by commas; null for all of them, and for other users
 */
export function readOperatorRole(role: unknown): { isOperator: boolean; operatorRoles: string | null } {
  const [name, list] = typeof role === 'string' ? role.split(':', 2) : []
  if (name !== 'operator') return { isOperator: false, operatorRoles: null }
  if (list === undefined) return { isOperator: true, operatorRoles: null }
  const given = new Set(list.split(',').map((one) => one.trim()))
  const known = allRoles.filter((one) => given.has(one))
  if (known.length === 0) return { isOperator: false, operatorRoles: null }
  return { isOperator: true, operatorRoles: allRoles.filter((one) => one === 'read' || given.has(one)).join(',') }
}

/** @param stored `operatorRoles` of an operator */
export function rolesOf(stored: string | null): OperatorRole[] {
  const given = stored?.split(',')
  return allRoles.filter((role) => given === undefined || given.includes(role))
}
