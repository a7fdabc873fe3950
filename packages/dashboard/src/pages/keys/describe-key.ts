import type { Account } from '../../layout/caller.ts'

/**
 * A model to try a key with: a chat model if the key may call one.
 *
 * @param allowed names; null for every model of the plan
 */
export function modelToTry(offered: Account['models'], allowed: readonly string[] | null): string {
  const usable = offered.filter(({ id }) => allowed === null || allowed.includes(id))
  return (usable.find(({ kind }) => kind === 'chat') ?? usable[0])?.id ?? ''
}
