import fc from 'fast-check'
import { parsed } from './chat-answers.ts'

/** An event of a stream that names its type. */
export type TypedEvent = { type: string } & Record<string, unknown>

/** Counts that no provider should report, and some that it may. */
export const count: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 1000 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-1, 0.5, 1e8, 1e8 + 1, 2 ** 53, 1e308, null, '7', [], {}, true)
  }
)

const change = fc.record({
  kind: fc.constantFrom('drop', 'repeat', 'swap', 'move to the end'),
  at: fc.nat({ max: 20 })
})
/** Changes of the order of events, or none. */
export const orderChanges = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(change, { minLength: 1, maxLength: 4 }) }
)

/** Drops, repeats and moves events. */
export function reorder<Event>(events: readonly Event[], changes: Changes): Event[] {
  const list = [...events]
  for (const { kind, at } of changes) {
    if (list.length === 0) break
    const index = at % list.length
    const event = list[index]!
    if (kind === 'drop') list.splice(index, 1)
    if (kind === 'repeat') list.splice(index, 0, event)
    if (kind === 'swap') [list[index], list[0]] = [list[0]!, event]
    if (kind === 'move to the end') list.push(...list.splice(index, 1))
  }
  return list
}

type Changes = ReadonlyArray<{ readonly kind: string; readonly at: number }>

/** How the events are written: with their names, without them, or with the line ends that some providers have. */
export const writing = fc.constantFrom('named', 'named', 'named', 'plain', 'carriage returns')

export function writeEvents(events: readonly TypedEvent[], style: string): string {
  const text = events
    .map((event) => `${style === 'plain' ? '' : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`)
    .join('')
  return style === 'carriage returns' ? text.replaceAll('\n', '\r\n') : text
}

/** The events of a stream in exactly the form of {@link writeEvents}, with their names; null for any other text. */
export function readEvents(text: string): TypedEvent[] | null {
  if (!/^(event: [\w.]+\ndata: \{[^\r\n]*\}\n\n)+$/.test(text)) return null
  const events: TypedEvent[] = []
  for (const event of text.split('\n\n').slice(0, -1)) {
    const [name = '', data = ''] = event.split('\n')
    const value = parsed(data.slice('data: '.length)) as TypedEvent | undefined
    if (value === undefined || value.type !== name.slice('event: '.length)) return null
    // A mutated text may have a member twice, or an error in an odd place.
    if (JSON.stringify(value) !== data.slice('data: '.length)) return null
    events.push(value)
  }
  return events
}
