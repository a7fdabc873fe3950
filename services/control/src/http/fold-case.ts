/**
 * Lower-cases a text letter by letter, as the identity provider compares addresses (Go's `strings.ToLower`).
 * JavaScript's own differs for two letters: a dotted capital I becomes two characters, and a sigma at the end of a word
 * gets another form.
 */
export const foldCase = (text: string): string =>
  text.replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()
