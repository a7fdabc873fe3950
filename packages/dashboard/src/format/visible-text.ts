/** U+2800 looks like a space, but is a symbol. */
const spaces = /[\s\u2800]+/g
/** Direction marks, joiners, fillers and control characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * The visible part of a text, as a person would type it: invisible characters removed, spaces trimmed and collapsed,
 * accents composed (NFC). Empty for a text that looks empty.
 */
export const visibleText = (text: string): string =>
  text.normalize('NFC').replace(spaces, ' ').replace(unseen, '').trim()

/** Wraps a user's text in direction isolates, so that right-to-left text does not reorder the sentence around it. */
export const isolate = (text: string): string => `\u2068${text}\u2069`

interface KeyParts {
  readonly label: string
  readonly scope: 'inference' | 'management'
  readonly prefix: string
}

const beginning = ({ scope, prefix }: Pick<KeyParts, 'scope' | 'prefix'>): string =>
  `${scope === 'management' ? 'tgm' : 'tg'}_${prefix}`

/** The first characters of a key, to recognise it by. */
export const shownPrefix = (key: Pick<KeyParts, 'scope' | 'prefix'>): string => `${beginning(key)}…`

/** The label of a key, or its first characters if the label looks empty. */
export const nameOfKey = (key: KeyParts): string => (visibleText(key.label) === '' ? beginning(key) : key.label)
