/** The ids that a provider gave an answer and its items. Later requests may name them. */
export interface IssuedIds {
  readonly answer: string
  readonly items: readonly string[]
}

/** Ids are names in Redis and parts of paths. Longer ones are not remembered. */
const plainId = /^[\w.:-]{1,256}$/
/** The same as JSON. */
const plainText = /^"([\w.:-]{1,256})"$/

/**
 * @param answer the id of the answer
 * @param items JSON texts of the ids of its items
 * @returns null if the answer has no id
 */
export function issuedIds(answer: unknown, items: readonly string[]): IssuedIds | null {
  if (!isId(answer)) return null
  return { answer, items: items.flatMap((json) => plainText.exec(json)?.[1] ?? []) }
}

/** Whether a value has the form of a provider's ids. */
export const isId = (value: unknown): value is string => typeof value === 'string' && plainId.test(value)
