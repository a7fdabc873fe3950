/** The ids that a provider gave an answer and its items. Later requests may name them. */
export interface IssuedIds {
  readonly answer: string
  readonly items: readonly string[]
}

/** Ids are names in Redis and parts of paths. Longer ones are not remembered. */
const plainId = /^[\w.:-]{1,256}$/

/**
 * @param answer the id of the answer
 * @param items of its output
 * @returns null if the answer has no id
 */
export function issuedIds(answer: unknown, items: ReadonlyArray<{ readonly id?: unknown }>): IssuedIds | null {
  if (!isId(answer)) return null
  return { answer, items: items.map(({ id }) => id).filter(isId) }
}

/** Whether a value has the form of a provider's ids. */
export const isId = (value: unknown): value is string => typeof value === 'string' && plainId.test(value)
