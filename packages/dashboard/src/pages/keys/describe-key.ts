import { visibleText } from '../../format/visible-text.ts'
import type { Account } from '../../layout/caller.ts'
import type { Key } from './read-key-form.ts'

const beginning = ({ scope, prefix }: Pick<Key, 'scope' | 'prefix'>): string =>
  `${scope === 'management' ? 'tgm' : 'tg'}_${prefix}`

/** The first characters of a key, to recognise it by. */
export const shownPrefix = (key: Pick<Key, 'scope' | 'prefix'>): string => `${beginning(key)}…`

/** The label of a key, or its first characters if the label looks empty. */
export const nameOfKey = (key: Pick<Key, 'label' | 'scope' | 'prefix'>): string =>
  visibleText(key.label) === '' ? beginning(key) : key.label

/**
 * A model to try a key with: a chat model if the key may call one.
 *
 * @param allowed names; null for every model of the plan
 */
export function modelToTry(offered: Account['models'], allowed: readonly string[] | null): string {
  const usable = offered.filter(({ id }) => allowed === null || allowed.includes(id))
  return (usable.find(({ kind }) => kind === 'chat') ?? usable[0])?.id ?? ''
}
