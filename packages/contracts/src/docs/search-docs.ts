import { emptyWords, synonymsOf, wordsWithSynonyms } from './search-synonyms.ts'
import { countTypos, maxTypos } from './typos.ts'

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

/** Calls that customers never make. */
export const groupForOthers = 'For operators and providers'

/**
 * Finds what has all words, the best first.
 *
 * @param typed words as typed, in either case
 * @param max how many at most
 */
export type Search = (typed: string, max: number) => Found[]

/** How much a word counts, by where it is. */
const scores = { titleStart: 8, title: 5, text: 2, words: 1 } as const
/** How much a synonym counts of what the word itself would. */
const synonymShare = 0.6
/** More than all words together. */
const sameTitle = 100
/** What explains comes before lists of single things. What is for others comes last. */
const groupScores: Readonly<Record<string, number>> = {
  ...{ Guide: 4, Page: 4, Plan: 4, Question: 4 },
  [groupForOthers]: -100
}

interface Entry {
  readonly found: Found
  readonly title: string
  readonly plainTitle: string
  readonly text: string
  readonly words: string
}

/** What finds a word of the search, and how much it counts. */
interface Way {
  readonly word: string
  readonly share: number
}

/** Prepares a search. What has the words, or synonyms of them, comes before what has words that differ by a typo. */
export function createSearch(index: readonly Found[]): Search {
  const entries = index.map(
    (found): Entry => ({
      found,
      title: found.title.toLowerCase(),
      plainTitle: plain(found.title),
      text: `${found.group} ${found.text}`.toLowerCase(),
      words: found.words?.toLowerCase() ?? ''
    })
  )
  let known: readonly string[] | null = null
  const findNear = (part: string): string[] => {
    const max = maxTypos(part)
    if (max === 0) return []
    known ??= wordsOf(entries)
    return known.filter((word) => countTypos(part, word, max) <= max)
  }

  return (typed, max) => {
    const query = plain(typed)
    const parts = toParts(typed)
    if (parts.length === 0) return []
    const exact = rank(
      entries,
      query,
      [parts, ...withPhrases(parts)].map((one) => one.map(waysOf))
    )
    if (exact.length >= max) return exact.slice(0, max)
    const taken = new Set(exact)
    const others = entries.filter(({ found }) => !taken.has(found))
    const withTypos = parts.map((part) => [...waysOf(part), ...findNear(part).flatMap(waysOf)])
    return [...exact, ...rank(others, query, [withTypos])].slice(0, max)
  }
}

/** Words without what says nothing, unless nothing is left. */
function toParts(typed: string): string[] {
  const all = typed
    .toLowerCase()
    .split(/[\s?!,]+/)
    .filter((part) => part !== '')
  const parts = all.filter((part) => !emptyWords.has(part))
  return parts.length === 0 ? all : parts
}

/** The same words with each known phrase as one, such as `tool calling`. */
const withPhrases = (parts: readonly string[]): string[][] =>
  parts.slice(1).flatMap((second, at) => {
    const phrase = `${parts[at]} ${second}`
    return synonymsOf(phrase).length === 0 ? [] : [[...parts.slice(0, at), phrase, ...parts.slice(at + 2)]]
  })

const waysOf = (word: string): Way[] => [
  { word, share: 1 },
  ...synonymsOf(word).map((synonym) => ({ word: synonym, share: synonymShare }))
]

/** @param readings of the query: the ways to find each of its words. The best one counts */
function rank(entries: readonly Entry[], query: string, readings: ReadonlyArray<ReadonlyArray<readonly Way[]>>) {
  return entries
    .flatMap((entry) => {
      const score = Math.max(...readings.map((reading) => scoreOf(entry, reading)))
      if (score === 0) return []
      const own = (groupScores[entry.found.group] ?? 0) + (entry.plainTitle === query ? sameTitle : 0)
      return [{ found: entry.found, score: score + own }]
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ found }) => found)
}

/** @returns 0 unless the entry has each word in any way */
function scoreOf(entry: Entry, reading: ReadonlyArray<readonly Way[]>): number {
  let sum = 0
  for (const ways of reading) {
    let best = 0
    for (const { word, share } of ways) best = Math.max(best, share * placeScore(entry, word, share === 1))
    if (best === 0) return 0
    sum += best
  }
  return sum
}

/** @param isTyped false for a synonym: it is a whole word, so that `data` is not in `database` */
function placeScore({ title, text, words }: Entry, word: string, isTyped: boolean): number {
  const has = isTyped ? hasWord : hasWholeWord
  if (isTyped ? title.startsWith(word) : hasWholeWord(title.slice(0, word.length + 2), word)) return scores.titleStart
  if (isTyped ? title.includes(word) : has(title, word)) return scores.title
  if (has(text, word)) return scores.text
  return has(words, word) ? scores.words : 0
}

/** A text with spaces alone between its words, so that `gpt 6 luna` is `gpt-6-luna`. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()

/** Each word of the index once, and those that have synonyms. */
const wordsOf = (entries: readonly Entry[]): string[] => [
  ...new Set([
    ...entries.flatMap(({ title, text, words }) => `${title} ${text} ${words}`.match(/[a-z0-9]{4,}/g) ?? []),
    ...wordsWithSynonyms.filter((word) => word.length > 3)
  ])
]

/** Whether a word of a text begins with what was typed: `sla` is not in `translate`. */
function hasWord(text: string, typed: string): boolean {
  for (let at = text.indexOf(typed); at >= 0; at = text.indexOf(typed, at + 1)) {
    if (!isLetter(text[at - 1])) return true
  }
  return false
}

/** Whether a text has a word or its plural. */
function hasWholeWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length
    if (!isLetter(text[at - 1]) && !isLetter(text[text[end] === 's' ? end + 1 : end])) return true
  }
  return false
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[a-z0-9]/.test(character)
