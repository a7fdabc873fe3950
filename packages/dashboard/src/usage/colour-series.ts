import { type ColouredSeries, maxSeries, type Series } from '../charts/series.ts'
import { othersId } from './group-usage.ts'

/** The colour of the smaller groups together. A group has it only if no other colour is free. */
const lastColour = maxSeries - 1

/** The colour that a group prefers: the same one after a reload. */
function preferredColour(id: string): number {
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return hash % lastColour
}

/**
 * A function that gives each series of a chart a colour by its id. A series keeps the colour that it had first, unless an
 * earlier one in the same chart has it: two series of a chart never share a colour.
 */
export function createColouring(): (series: readonly Series[]) => ColouredSeries[] {
  const first = new Map<string, number>()
  return (series) => {
    const colours = new Map<string, number>()
    const taken = new Set<number>()
    const give = (id: string, preferred: number) => {
      let colour = preferred
      while (taken.has(colour) && taken.size < maxSeries) colour = (colour + 1) % maxSeries
      taken.add(colour)
      colours.set(id, colour)
      if (!first.has(id)) first.set(id, colour)
    }
    const ids = new Set(series.map(({ id }) => id))
    if (ids.delete(othersId)) give(othersId, lastColour)
    for (const [id, colour] of first) if (ids.has(id) && !taken.has(colour)) give(id, colour)
    const rest = [...ids].filter((id) => !colours.has(id)).sort()
    // Those whose preferred colour is free come first, so that they do not lose it.
    for (const id of rest) if (!taken.has(preferredColour(id))) give(id, preferredColour(id))
    for (const id of rest) if (!colours.has(id)) give(id, preferredColour(id))
    return series.map((one) => ({ ...one, colour: colours.get(one.id) ?? lastColour }))
  }
}

/** All usage charts of the tab share their colours. */
export const colourSeries = createColouring()
