/** Looks like a space, and is a symbol. */
const spaces = /[\s\u2800]+/g
/** Marks of direction, joiners, fillers, control characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * What can be seen of a text, and so typed: without spaces at its ends or in a row, without marks that are not drawn, each
 * letter with its accents as one. Empty for a text that looks empty.
 */
export const visibleText = (text: string): string =>
  text.normalize('NFC').replace(spaces, ' ').replace(unseen, '').trim()

/** A text that somebody chose, for the middle of a sentence: whichever way it is written, the sentence stays as it is. */
export const isolate = (text: string): string => `\u2068${text}\u2069`
