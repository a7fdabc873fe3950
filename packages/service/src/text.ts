const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The beginning of a text, cut between characters as people see them: a joined emoji, a flag or a letter with its
 * accents stays whole or is left out.
 *
 * @param max.characters at most this many of them
 * @param max.length at most this many UTF-16 code units
 */
export function cutText(text: string, max: { readonly characters?: number; readonly length?: number }): string {
  const { characters: maxCharacters = Number.POSITIVE_INFINITY, length: maxLength = Number.POSITIVE_INFINITY } = max
  let count = 0
  // Each character has one code unit at least.
  for (const { segment, index } of characters.segment(text)) {
    count += 1
    if (count > maxCharacters || index + segment.length > maxLength) return text.slice(0, index)
  }
  return text
}

/** Escapes text for HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
