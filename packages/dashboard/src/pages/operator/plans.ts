import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'

/**
 * The plans to choose from, as values and names of a select. A plan that the catalog no longer has keeps its id as its
 * name.
 *
 * @param others ids that the select needs in any case
 */
export function usePlans(...others: ReadonlyArray<string | undefined>): Array<readonly [id: string, name: string]> {
  const { data } = useQuery(read('listPlans'))
  const offered = (data?.plans ?? []).map(({ id, name }) => [id, name] as const)
  const missing = new Set(others.filter((id) => id !== undefined && !offered.some(([knownId]) => knownId === id)))
  return [...offered, ...[...missing].map((id) => [String(id), String(id)] as const)]
}
