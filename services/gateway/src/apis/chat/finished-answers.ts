import { findName, searchedName } from '../../body/find-name.ts'
import { quote } from '../../body/json-bytes.ts'
import { memberOf } from '../../body/member-of.ts'
import { valueAfter } from '../../body/scan.ts'
import { firstBoundary, lastBoundary } from '../../relay/event-boundaries.ts'
import { dataIn } from '../../relay/event-data.ts'

const finishName = searchedName('finish_reason')

/**
 * Counts the answers of a stream that have a `finish_reason`. For speed, it parses an event only if the request asked for several
 * answers and the event has a reason.
 */
export class FinishedAnswers {
  /** Whether all requested answers have a reason. */
  isAll = false
  readonly #requested: number
  /** The indices of the answers that have a reason. */
  #indices: Set<unknown> | null = null

  /** @param requested how many answers the request asked for */
  constructor(requested: number) {
    this.#requested = requested
  }

  /**
   * @param events whole events
   * @param text the same bytes, one character each
   */
  add(events: Buffer, text: string): void {
    for (let at = findName(text, finishName, 0); at >= 0; ) {
      let next = at + finishName.length
      const value = valueAfter(events, next)
      // Some providers send an empty reason while the model continues.
      if (events[value] === quote && events[value + 1] !== quote) {
        if (this.#requested === 1) {
          this.isAll = true
          return
        }
        next = firstBoundary(events, at) || events.length
        this.#addChoices(events.subarray(lastBoundary(events.subarray(0, at)), next))
      }
      at = findName(text, finishName, next)
    }
  }

  #addChoices(event: Buffer): void {
    const choices = memberOf(dataIn(event), 'choices')
    if (!Array.isArray(choices)) return
    this.#indices ??= new Set()
    for (const choice of choices) if (memberOf(choice, 'finish_reason')) this.#indices.add(memberOf(choice, 'index'))
    this.isAll = this.#indices.size >= this.#requested
  }
}
