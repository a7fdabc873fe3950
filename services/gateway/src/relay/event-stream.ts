import { findName } from '../body/find-name.ts'
import { closeBrace } from '../body/json-bytes.ts'
import { memberOf } from '../body/member-of.ts'
import type { ReceivedText } from '../tokens/received-text.ts'
import { readUsage } from '../usage/chat-usage.ts'
import { nameOf } from '../usage/reported-counts.ts'
import type { ReportedUsage } from '../usage/usage.ts'
import { usageName } from '../usage/usage-name.ts'
import { endsPlainly, firstBoundary, lastBoundary } from './event-boundaries.ts'
import { dataIn } from './event-data.ts'
import { failureIn, isNull } from './event-failure.ts'
import { FinishedAnswers } from './finished-answers.ts'

/** Longer events are not inspected. Events with usage have a few hundred bytes. */
const maxInspectedBytes = 65_536

/**
 * Reads the events of a stream on their way to the client, and finds the usage. Removes the event with the usage if the client did
 * not ask for it. All other events pass unchanged, each when it is complete, because a client cannot use a part of an event. An
 * event that reports an error does not pass, and all bytes after it are dropped.
 */
export class EventStream {
  /** The last usage that the stream reported; null before it. */
  usage: ReportedUsage | null = null
  /** Bytes of words up to and including the event with the usage. */
  #sizeAtUsage = 0
  /** Whether the event with the usage has no choices. Then the model produces nothing more. */
  #isUsageAlone = false
  readonly #showsUsage: boolean
  /** The received words. */
  readonly received: ReceivedText
  /** The incomplete event at the end. */
  #held: Buffer[] = []
  #heldBytes = 0
  #isDone = false
  readonly #finished: FinishedAnswers
  #hasBegun = false
  #hasFailed = false
  /** Bytes before the first event. */
  #waiting: Buffer = none
  /** Whether an event passes in parts, because it is too long to be held back. */
  #isPassing = false

  /**
   * @param showsUsage whether the client asked for the event with the usage
   * @param received gets all whole events
   * @param answers how many answers the request asked for
   */
  constructor(showsUsage: boolean, received: ReceivedText, answers = 1) {
    this.#showsUsage = showsUsage
    this.received = received
    this.#finished = new FinishedAnswers(answers)
  }

  /**
   * Whether the event with the usage has no choices, and no words followed it. Some providers report usage in every event.
   */
  get isUsageFinal(): boolean {
    return this.#isUsageAlone && this.#sizeAtUsage === this.received.size
  }

  /** Whether words followed the event with the usage. Then the usage does not count all words. */
  get hasWordsAfterUsage(): boolean {
    return this.usage !== null && this.received.hasWordsFrom(this.#sizeAtUsage)
  }

  /** Whether only a part of an event has passed. */
  get isWithinEvent(): boolean {
    return this.#isPassing
  }

  /** Whether `[DONE]` arrived. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether a comment or an event other than `[DONE]` arrived. Nothing passes before that. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether the provider reported an error, or the bytes are not events. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** Whether the answer is whole: `[DONE]`, a `finish_reason` for each answer, or the final usage arrived. */
  get isWhole(): boolean {
    return this.#hasBegun && !this.#hasFailed && (this.#isDone || this.#finished.isAll || this.isUsageFinal)
  }

  /**
   * @param chunk may be overwritten once the returned bytes have been used
   * @returns the bytes for the client; may be empty, or share memory with `chunk`
   */
  push(chunk: Buffer): Buffer {
    const bytes = this.#advance(chunk)
    return this.#hasBegun || bytes.length === 0 ? bytes : this.#wait(bytes)
  }

  #advance(chunk: Buffer): Buffer {
    if (this.#hasFailed) return none
    if (this.#held.length === 0 && endsPlainly(chunk)) return this.#inspect(chunk)
    const before = this.#end()
    if (this.#isPassing) {
      const end = firstBoundary(chunk, 0, before)
      if (end === 0) {
        this.#held = [Buffer.concat([before, chunk]).subarray(-3)]
        this.received.skip(chunk.length)
        return chunk
      }
      this.received.skip(end)
      this.#isPassing = false
      this.#take()
      return Buffer.concat([chunk.subarray(0, end), this.#advance(chunk.subarray(end))])
    }
    const end = lastBoundary(chunk, before)
    if (end > 0) {
      const complete = this.#take(chunk.subarray(0, end))
      this.#hold(chunk.subarray(end))
      return this.#isPassing ? Buffer.concat([this.#inspect(complete), this.#pass()]) : this.#inspect(complete)
    }
    this.#hold(chunk)
    return this.#isPassing ? this.#pass() : none
  }

  /** Ends the stream. @returns the rest: an event without its blank line */
  end(): Buffer {
    if (this.#isPassing || this.#hasFailed) return none
    const wasFinished = this.#finished.isAll
    const rest = this.#take()
    const bytes = this.#inspect(rest)
    // A cut event may end within its `finish_reason`.
    if (!wasFinished && this.#finished.isAll) this.#finished.isAll = dataIn(rest) !== undefined
    return this.#hasBegun ? bytes : this.#wait(bytes)
  }

  /** Holds bytes back until the first event. @returns all of them after it */
  #wait(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#waiting, bytes])
    // An event with usage counts as the first event, even if it is removed.
    this.#hasBegun = this.usage !== null || beginning.test(all.toString('latin1'))
    this.#waiting = this.#hasBegun ? none : all
    if (all.length > maxInspectedBytes && !this.#hasBegun) this.#hasFailed = true
    return this.#hasBegun ? all : none
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held.push(Buffer.from(bytes))
    this.#heldBytes += bytes.length
    if (this.#heldBytes > maxInspectedBytes) this.#isPassing = true
  }

  /** Returns all held bytes, and keeps their end, because a boundary may begin there. */
  #pass(): Buffer {
    const passed = this.#take()
    this.received.skip(passed.length)
    this.#held = [passed.subarray(-3)]
    return passed
  }

  #take(last: Buffer = none): Buffer {
    const all = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last])
    this.#held = []
    this.#heldBytes = 0
    return all
  }

  /** The last three held bytes, or all if there are fewer. */
  #end(): Buffer {
    const last = this.#held.at(-1)
    if (last === undefined) return none
    return last.length >= 3 || this.#held.length === 1 ? last : Buffer.concat(this.#held.slice(-3))
  }

  #inspect(events: Buffer): Buffer {
    const text = events.toString('latin1')
    // For speed: this runs for each chunk, and nearly every chunk has the letter e.
    const failedAt = text.includes('rror') ? failureIn(events, text) : -1
    if (failedAt >= 0) {
      const before = failedAt === 0 ? none : this.#inspect(events.subarray(0, failedAt))
      this.#hasFailed = true
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
        if (this.#isUsageOnly(events.subarray(start, end)) && !this.#showsUsage) {
          rest.push(events.subarray(from, start))
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

  /** Reads the usage of an event. @returns whether the event has no choices */
  #isUsageOnly(event: Buffer): boolean {
    const data = dataIn(event)
    // Groq has its own member for usage. Moonshot puts it into the choice.
    const usage = readUsage(
      memberOf(data, 'usage') ?? memberOf(memberOf(data, 'x_groq'), 'usage') ?? usageOfChoice(data)
    )
    if (usage === null) return false
    usage.tier ??= nameOf(data, 'service_tier')
    this.usage = usage
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
