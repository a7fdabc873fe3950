const quote = 0x22

/** The name of a member of JSON, ready to be searched. */
export type SearchedName = {
  /** Of the name in its quotes. */
  readonly length: number
  /** The name and the quote behind it. */
  readonly end: string
}

/** @param name without characters that JSON escapes */
export const searchedName = (name: string): SearchedName => ({ length: name.length + 2, end: `${name}"` })

/**
 * Finds a member's name in JSON, in its quotes; within a text they would be escaped. The quote before it is looked at
 * last: quotes are everywhere, and a search that begins with one takes several times as long.
 *
 * @param text the bytes of JSON, each a character
 * @returns the place of the quote before the name, -1 if it is not there from `from` on
 */
export function findName(text: string, { end }: SearchedName, from: number): number {
  let at = text.indexOf(end, from + 1)
  while (at >= 0 && text.charCodeAt(at - 1) !== quote) at = text.indexOf(end, at + 1)
  return at < 0 ? -1 : at - 1
}
