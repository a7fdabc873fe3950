import { visibleText } from './visible-text.ts'

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
