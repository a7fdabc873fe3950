/** How many typos a word may have: none if it is short, as another word is too near. */
export const maxTypos = (word: string): number => (word.length >= 9 ? 2 : word.length >= 5 ? 1 : 0)

/**
 * How many typos lie between what was typed and the nearest beginning of a word: a letter too many, too few, wrong, or
 * two that changed places.
 *
 * @returns Infinity for more than `max`
 */
export function countTypos(typed: string, word: string, max: number): number {
  const width = Math.min(word.length, typed.length + max)
  if (width < typed.length - max) return Infinity
  let before: number[] = []
  let last = Array.from({ length: width + 1 }, (_, at) => at)
  for (let row = 1; row <= typed.length; row++) {
    const next = [row]
    for (let at = 1; at <= width; at++) {
      const isSame = typed[row - 1] === word[at - 1]
      let typos = Math.min(last[at]! + 1, next[at - 1]! + 1, last[at - 1]! + (isSame ? 0 : 1))
      if (row > 1 && at > 1 && typed[row - 1] === word[at - 2] && typed[row - 2] === word[at - 1])
        typos = Math.min(typos, before[at - 2]! + 1)
      next.push(typos)
    }
    if (Math.min(...next) > max) return Infinity
    before = last
    last = next
  }
  const least = Math.min(...last)
  return least > max ? Infinity : least
}
