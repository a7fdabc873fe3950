import { type ColouredSeries, maxSeries, type Series } from '../charts/series.ts'
import { groupId, othersId } from './group-usage.ts'

/** The colour of the smaller groups together. A group has it only if no other colour is free. */
const lastColour = maxSeries - 1

/** The colour that a group prefers: the same one after a reload. */
function preferredColour(id: string): number {
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return hash % lastColour
}

/**
 * A function that gives each series of a chart a colour by its id. A series keeps the colour that it had first, unless
 * an earlier one in the same chart has it: two series of a chart never share a colour. Ids get different colours while
 * there are enough, so that an id has the same one in all charts.
 *
 * @returns a function of the series, and of ids that have their colours before all others, whichever chart is shown
 *   first
 */
export function createColouring(): (series: readonly Series[], knownIds?: readonly string[]) => ColouredSeries[] {
  const first = new Map<string, number>()
  const isFree = (colour: number) => ![...first.values()].includes(colour)
  const note = (id: string) => {
    if (first.has(id)) return
    const preferred = preferredColour(id)
    const free = Array.from({ length: lastColour }, (_, step) => (preferred + step) % lastColour).find(isFree)
    first.set(id, free ?? preferred)
  }
  return (series, knownIds = []) => {
    for (const id of [...knownIds].sort()) note(id)
    const colours = new Map<string, number>()
    const taken = new Set<number>()
    const give = (id: string, preferred: number) => {
      let colour = preferred
      while (taken.has(colour) && taken.size < maxSeries) colour = (colour + 1) % maxSeries
      taken.add(colour)
      colours.set(id, colour)
    }
    const ids = new Set(series.map(({ id }) => id))
    if (ids.delete(othersId)) give(othersId, lastColour)
    for (const id of [...ids].sort()) note(id)
    const inOrder = [...first].filter(([id]) => ids.has(id))
    // Those whose colour is free come first, so that they do not lose it.
    for (const [id, colour] of inOrder) if (!taken.has(colour)) give(id, colour)
    for (const [id, colour] of inOrder) if (!colours.has(id)) give(id, colour)
    return series.map((one) => ({ ...one, colour: colours.get(one.id) ?? lastColour }))
  }
}

const colourings = new Map<string, ReturnType<typeof createColouring>>()

/**
 * Gives the series of a usage chart their colours. All charts of the tab share them.
 *
 * @param by what the series are: each grouping has colours of its own
 * @param models the models of the account, which have the same colours after a reload, too
 */
export function colourSeries(
  series: readonly Series[],
  by: string,
  models: readonly { readonly id: string }[]
): ColouredSeries[] {
  const colouring = colourings.get(by) ?? createColouring()
  colourings.set(by, colouring)
  return colouring(series, by === 'model' ? models.map(({ id }) => groupId(id)) : [])
}
