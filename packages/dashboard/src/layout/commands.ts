import type { LucideIcon } from 'lucide-react'

/** Something that the palette does. */
export interface Command {
  /** Unique. */
  readonly id: string
  readonly text: string
  /** A second text to search and to show, such as the prefix of a key. */
  readonly hint?: string
  /** Other words that find it. */
  readonly words?: string
  readonly icon: LucideIcon
  readonly run: () => unknown
}

export interface CommandGroup {
  readonly title: string
  readonly items: readonly Command[]
}

/** What is not asked for by name is only shown while something is typed. */
const shownPerGroup = 8

/** Whether each typed word begins a word of the command. */
export function matches({ text, hint = '', words = '' }: Omit<Command, 'run' | 'icon'>, typed: string): boolean {
  const content = `${text} ${hint} ${words}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every(
      (word) => content.startsWith(word) || content.includes(` ${word}`) || (word.length > 2 && content.includes(word))
    )
}

/** The commands that match, in their groups. Nothing typed matches all. */
export function findCommands(groups: readonly CommandGroup[], typed: string): CommandGroup[] {
  const query = typed.trim()
  return groups
    .map(({ title, items }) => {
      const matching = query === '' ? items : items.filter((command) => matches(command, query))
      return { title, items: query === '' ? matching : matching.slice(0, shownPerGroup) }
    })
    .filter(({ items }) => items.length > 0)
}

/** The id of a request in a typed or pasted text, such as a line of a log; null without one. */
export const requestIdIn = (typed: string): string | null =>
  /\breq_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/i.exec(typed)?.[0].toLowerCase() ?? null
