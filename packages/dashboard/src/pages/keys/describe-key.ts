import type { Account } from '../../layout/caller.ts'
import type { Key } from './read-key-form.ts'

/** The beginning of a key, by which people recognise it. */
export const shownPrefix = ({ scope, prefix }: Pick<Key, 'scope' | 'prefix'>): string =>
  `${scope === 'management' ? 'tgm' : 'tg'}_${prefix}…`

/**
 * A model to try a key with: one that chats, if the key may call one.
 *
 * @param allowed names; null for every model of the plan
 */
export function modelToTry(offered: Account['models'], allowed: readonly string[] | null): string {
  const usable = offered.filter(({ id }) => allowed === null || allowed.includes(id))
  return (usable.find(({ kind }) => kind === 'chat') ?? usable[0])?.id ?? ''
}
