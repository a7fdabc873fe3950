/** What is searched in an object. Paths are such as `response.usage`, or `output.*.id` for the items of a list. */
export interface SearchedMembers {
  /** The paths of the values that are gathered. Names in paths contain no dots and no escapes. */
  readonly values: readonly string[]
  /** The path of an object whose first and last byte are noted, not its text. Nothing within it is searched. */
  readonly span?: string
  /**
   * Groups of signs: facts that are known as soon as a value begins, and that gather nothing.
   *
   * - `type=message`: the value is this text
   * - `choices.*`: the list has an object
   * - `error`: the value is an object, a list, or a text that is not empty
   */
  readonly signs?: ReadonlyArray<readonly string[]>
}

/** What is searched in one object or list. */
export interface Level {
  /** What is searched around it; null for the outer object. */
  readonly outer: Level | null
  readonly members: Member[]
  /** For a list: its only member, which stands for all items. null for an object. */
  item: Member | null
}

/** What is searched at one place. */
export interface Member {
  readonly level: Level
  readonly name: string
  readonly path: string
  readonly isGathered: boolean
  readonly isSpan: boolean
  readonly sign: Sign | null
  /** What is searched within the value; null for nothing. */
  inner: Level | null
}

interface Sign {
  /** The bit of its group. */
  readonly bit: number
  readonly is: 'text' | 'object' | 'content'
  /** The text, if it is one. */
  readonly text: string
}

/** Prepares a search. The formats do it once, because they search the same in all answers. */
export function prepareSearch({ values, span, signs = [] }: SearchedMembers): Level {
  const signAt = new Map(signs.flatMap((group, index) => group.map((sign) => parseSign(sign, 1 << index))))
  const outer = newLevel(null)
  for (const path of [...values, ...(span === undefined ? [] : [span]), ...signAt.keys()]) {
    const names = path.split('.')
    let level = outer
    for (const [index, name] of names.entries()) {
      const here = names.slice(0, index + 1).join('.')
      const earlier = level.members.find((member) => member.name === name)
      const member = earlier ?? {
        level,
        name,
        path: here,
        isGathered: values.includes(here),
        isSpan: here === span,
        sign: signAt.get(here) ?? null,
        inner: null
      }
      if (earlier === undefined) level.members.push(member)
      if (name === '*') level.item = member
      if (here !== path) level = member.inner ??= newLevel(level)
    }
  }
  return outer
}

const newLevel = (outer: Level | null): Level => ({ outer, members: [], item: null })

function parseSign(sign: string, bit: number): [path: string, Sign] {
  const [path = '', text = ''] = sign.split('=')
  return [path, { bit, is: text !== '' ? 'text' : path.endsWith('*') ? 'object' : 'content', text }]
}
