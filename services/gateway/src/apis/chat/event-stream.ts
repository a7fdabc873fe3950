import { findName, searchedName } from '../../body/find-name.ts'
import { closeBrace, quote } from '../../body/json-bytes.ts'
import { memberOf } from '../../body/json-text.ts'
import { valueAfter } from '../../body/scan.ts'
import { EventFlow } from '../../relay/event-flow.ts'
import { prepareSearch } from '../../relay/searched-members.ts'
import { dataIn, failureIn, firstBoundary, isNull, lastBoundary } from '../../relay/server-sent-events.ts'
import { eventWithCost } from '../../relay/usage-cost.ts'
import type { ReceivedText } from '../../tokens/received-text.ts'
import { nameOf } from '../../usage/reported-counts.ts'
import { largerUsage } from '../../usage/usage.ts'
import { readUsage } from './chat-usage.ts'

const usageName = searchedName('usage')
const usageObject = prepareSearch({ values: [], span: 'usage' })

/**
 * Reads the events of a stream of chat or completions on their way to the client, and finds the usage. Removes the
 * event with the usage if the client did not ask for it. All other events pass unchanged. An event that reports an
 * error does not pass, and all bytes after it are dropped.
 */
export class EventStream extends EventFlow {
  /** Bytes of words up to and including the event with the usage. */
  #sizeAtUsage = 0
  /** Whether the event with the usage has no choices. Then the model produces nothing more. */
  #isUsageAlone = false
  readonly #showsUsage: boolean
  #isDone = false
  readonly #finished: FinishedAnswers
  readonly #addUsage: typeof largerUsage
  readonly #costOf: (() => number | null) | null

  /**
   * @param showsUsage whether the client asked for the event with the usage
   * @param received gets all whole events
   * @param answers how many answers the request asked for
   * @param addUsage joins a further report of usage to the earlier ones
   * @param costOf the cost if the stream ends now, for its usage; null if the client did not ask for it
   */
  constructor(
    showsUsage: boolean,
    received: ReceivedText,
    answers = 1,
    addUsage = largerUsage,
    costOf: (() => number | null) | null = null
  ) {
    super(received)
    this.#showsUsage = showsUsage
    this.#addUsage = addUsage
    this.#costOf = costOf
    this.#finished = new FinishedAnswers(answers)
  }

  /**
   * Whether the event with the usage has no choices, and no words followed it. Some providers report usage in every
   * event.
   */
  get isUsageFinal(): boolean {
    return this.#isUsageAlone && this.#sizeAtUsage === this.received.size
  }

  get hasWordsAfterUsage(): boolean {
    return this.usage !== null && this.received.hasWordsFrom(this.#sizeAtUsage)
  }

  /** Whether `[DONE]` arrived. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether the answer is whole: `[DONE]`, a `finish_reason` for each answer, or the final usage arrived. */
  get isWhole(): boolean {
    return this.hasBegun && !this.hasFailed && (this.#isDone || this.#finished.isAll || this.isUsageFinal)
  }

  /** Whether a comment or an event other than `[DONE]` arrived. An event with usage counts, even if it is removed. */
  protected begins(text: string): boolean {
    return this.usage !== null || beginning.test(text)
  }

  protected override inspectRest(rest: Buffer): Buffer {
    const wasFinished = this.#finished.isAll
    const bytes = this.inspect(rest)
    // A cut event may end within its `finish_reason`.
    if (!wasFinished && this.#finished.isAll) this.#finished.isAll = dataIn(rest) !== undefined
    return bytes
  }

  protected inspect(events: Buffer): Buffer {
    const text = events.toString('latin1')
    // For speed: this runs for each chunk, and nearly every chunk has the letter e.
    const failedAt = text.includes('rror') ? failureIn(events, text) : -1
    if (failedAt >= 0) {
      const before = failedAt === 0 ? none : this.inspect(events.subarray(0, failedAt))
      this.hasFailed = true
      this.failedEvent = events.subarray(failedAt, firstBoundary(events, failedAt) || events.length)
      return before
    }
    if (!this.#finished.isAll) this.#finished.add(events, text)
    // For speed: nearly all chunks end with an object, not with [DONE].
    if (events[events.length - 3] !== closeBrace) this.#isDone ||= doneEvent.test(text)
    let at = findName(text, usageName, 0)
    if (at < 0) {
      this.received.add(events, text)
      return events
    }
    const rest: Buffer[] = []
    let from = 0
    let added = 0
    while (at >= 0) {
      let next = at + usageName.length
      if (!isNull(events, next)) {
        const start = lastBoundary(events.subarray(0, at))
        const end = firstBoundary(events, at) || events.length
        this.received.add(events.subarray(added, end), text.slice(added, end))
        added = end
        const event = events.subarray(start, end)
        const isOnly = this.#isUsageOnly(event)
        const shown = isOnly && !this.#showsUsage ? none : this.#withCost(event, isOnly)
        if (shown !== event) {
          rest.push(events.subarray(from, start), shown)
          from = end
        }
        next = end
      }
      at = findName(text, usageName, next)
    }
    if (added < events.length) this.received.add(events.subarray(added), text.slice(added))
    if (from === 0) return events
    rest.push(events.subarray(from))
    return Buffer.concat(rest)
  }

  /** Some providers report usage in every event. Only after the last words it has the cost of the answer. */
  #withCost(event: Buffer, isUsageOnly: boolean): Buffer {
    if (this.#costOf === null || !(isUsageOnly || this.#finished.isAll)) return event
    const cost = this.#costOf()
    return cost === null ? event : eventWithCost(event, usageObject, cost)
  }

  /** Reads the usage of an event. @returns whether the event has no choices */
  #isUsageOnly(event: Buffer): boolean {
    const data = dataIn(event)
    // Groq has its own member for usage. Moonshot puts it into the choice.
    const usage = readUsage(
      memberOf(data, 'usage') ?? memberOf(memberOf(data, 'x_groq'), 'usage') ?? usageOfChoice(data)
    )
    if (usage === null) return false
    usage.tier ??= nameOf(data, 'service_tier')
    this.usage = this.#addUsage(this.usage, usage)
    const choices = memberOf(data, 'choices')
    const isOnly = Array.isArray(choices) && choices.length === 0
    this.#isUsageAlone = isOnly
    this.#sizeAtUsage = this.received.size
    return isOnly
  }
}

function usageOfChoice(data: unknown): unknown {
  const choices = memberOf(data, 'choices')
  return Array.isArray(choices) ? memberOf(choices[0], 'usage') : undefined
}

/** Only at the beginning of a line, because the JSON of an event has no line ends. */
const doneEvent = /(?:^|[\r\n])data: ?\[DONE\]/
/** A comment or a field of an event, except `data: [DONE]`. */
const beginning = /(?:^(?:\xef\xbb\xbf)?|[\r\n])(?::|event:|id:|retry:|data:(?! ?\[DONE\]))/
const none = Buffer.alloc(0)

const finishName = searchedName('finish_reason')

/**
 * Counts the answers of a stream that have a `finish_reason`. For speed, it parses an event only if the request asked
 * for several answers and the event has a reason.
 */
class FinishedAnswers {
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
