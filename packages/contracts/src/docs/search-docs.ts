/** What a search can find. */
export interface Found {
  readonly title: string
  /** Which part of the site it is in. */
  readonly group: string
  readonly href: string
  /** One line about it, which results show. */
  readonly text: string
  /** Further words that find it, which results do not show. */
  readonly words?: string
}

/** How much a word counts, by where it is. */
const scores = { titleStart: 8, title: 5, text: 2, words: 1 } as const
/** Calls that customers never make. */
export const groupForOthers = 'For operators and providers'

/** Guides and pages explain, and come before lists of single things. What is for others comes last. */
const groupScores: Readonly<Record<string, number>> = { Guide: 4, Page: 4, [groupForOthers]: -100 }

/**
 * Finds what has all words, the best first: words count more in a title than in a text.
 *
 * @param typed words as typed, in either case
 * @param max how many at most
 */
export function searchDocs(index: readonly Found[], typed: string, max: number): Found[] {
  const parts = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '')
  if (parts.length === 0) return []
  const scored = index.flatMap((found) => {
    const title = found.title.toLowerCase()
    const text = found.text.toLowerCase()
    const words = found.words?.toLowerCase() ?? ''
    let score = groupScores[found.group] ?? 0
    for (const part of parts) {
      if (title.startsWith(part)) score += scores.titleStart
      else if (title.includes(part)) score += scores.title
      else if (hasWord(text, part)) score += scores.text
      else if (hasWord(words, part)) score += scores.words
      else return []
    }
    return [{ found, score }]
  })
  return scored
    .toSorted((one, other) => other.score - one.score)
    .slice(0, max)
    .map(({ found }) => found)
}

/** Whether a word of a text begins with what was typed: `sla` is not in `translate`. */
function hasWord(text: string, typed: string): boolean {
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) {
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1]!)) return true
  }
  return false
}
