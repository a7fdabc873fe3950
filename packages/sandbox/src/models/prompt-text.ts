import type { Message } from './requests.ts'

/** The text of a message, its parts on lines of their own. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n')
}
