import type { ListedValue } from './member-scan.ts'

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
  const items = new Map<number, OutputItem>()
  for (const { path, item, text } of listed) {
    const found = items.get(item) ?? {}
    items.set(item, found)
    const [, member] = path.split('.*.')
    found[member === 'action.type' ? 'action' : (member as 'id' | 'type' | 'status')] = parsed(text)
  }
  return [...items.values()]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
