import type { Message } from './requests.ts'

/** The text of a message. Each part is on its own line. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content
  return (content ?? []).flatMap((part) => part.text ?? part.refusal ?? []).join('\n')
}
