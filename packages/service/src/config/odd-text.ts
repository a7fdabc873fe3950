/**
 * Finds what a shell, an editor or `docker --env-file` left around a value: quotes, spaces, line breaks.
 *
 * @returns the problem with its cure, without the value; null without a problem
 */
export function findOddText(text: string): string | null {
  if (/^(["'`]).*\1\s*$/s.test(text)) {
    return 'the quotes around the value are part of it. Remove them: this kind of file takes values without quotes'
  }
  if (/^\s/.test(text)) return 'begins with a space or a line break. Remove it'
  if (/\s$/.test(text)) return 'ends with a space or a line break. Remove it'
  return null
}
