import { type ListedValue, parsedValue } from './member-scan.ts'

const members = ['id', 'type', 'status', 'action.type'] as const

/** The paths of what is read of the items of a response's output. @param output the path of the list, such as `output` */
export const outputPaths = (output: string): string[] => members.map((member) => `${output}.*.${member}`)

/** What is read of one item. */
export interface OutputItem {
  id?: unknown
  type?: unknown
  status?: unknown
  /** The type of its action. */
  action?: unknown
}

/** Gathers the items of a response's output, in order. Items without any of the members that are read are left out. */
export function outputItems(listed: readonly ListedValue[]): OutputItem[] {
  const items: OutputItem[] = []
  let last = -1
  for (const { path, item, text } of listed) {
    if (item !== last) items.push({})
    last = item
    const found = items.at(-1)!
    const value = parsedValue(text)
    if (path.endsWith('.id')) found.id = value
    else if (path.endsWith('.status')) found.status = value
    else if (path.endsWith('.action.type')) found.action = value
    else found.type = value
  }
  return items
}
