import { findName, searchedName } from '../body/find-name.ts'
import { closeBrace } from '../body/json-bytes.ts'
import { memberOf } from '../body/member-of.ts'
import { valueAfter } from '../body/scan.ts'
import type { ReceivedText } from '../tokens/received-text.ts'
import { type ReportedUsage, readUsage } from '../usage/usage.ts'
import { usageName } from '../usage/usage-name.ts'
import { endsPlainly, firstBoundary, lastBoundary } from './event-boundaries.ts'
import { dataIn } from './event-data.ts'
import { FinishedAnswers } from './finished-answers.ts'

/** An event that is longer is not looked into. Those that report usage have a few hundred bytes. */
const longestLookedInto = 65_536
const errorName = searchedName('error')

/**
 * The events of a stream on their way to the client, in whichever pieces their bytes come: takes the usage from the event
 * that reports it, and leaves that event out if the client did not ask for it. Everything else passes byte for byte. An
 * event passes when it is complete; nobody could use it before. An event that tells of an error does not pass, and nothing
 * after it.
 */
export class EventStream {
  /** What the stream reported last; null until it has. */
  usage: ReportedUsage | null = null
  /** How many bytes of words had come with the event of the usage, its own included. */
  #sizeAtUsage = 0
  /** Whether that event says that the model produces nothing more. */
  #isUsageAlone = false
  readonly #showsUsage: boolean
  /** The words that have come. */
  readonly received: ReceivedText
  /** The event that is not complete yet. */
  #held: Buffer[] = []
  #heldBytes = 0
  #isDone = false
  readonly #finished: FinishedAnswers
  #hasBegun = false
  #hasFailed = false
  /** Bytes that came before the stream had begun. */
  #waiting: Buffer = none
  /** The event that is passing was too long to be held. */
  #isPassing = false

  /**
   * @param received is given all whole events
   * @param answers how many answers the request asked for
   */
  constructor(showsUsage: boolean, received: ReceivedText, answers = 1) {
    this.#showsUsage = showsUsage
    this.received = received
    this.#finished = new FinishedAnswers(answers)
  }

  /**
   * Whether the event of `usage` says that the model produces nothing more, and no words came after it. Some providers report
   * usage in every event.
   */
  get isUsageFinal(): boolean {
    return this.#isUsageAlone && this.#sizeAtUsage === this.received.size
  }

  /** Whether the model wrote more behind the event of `usage`: then it does not count all. */
  get isUsageOvertaken(): boolean {
    return this.usage !== null && this.received.hasWordsFrom(this.#sizeAtUsage)
  }

  /** Whether a part of an event has passed whose rest has not. */
  get isWithinEvent(): boolean {
    return this.#isPassing
  }

  /** Whether the stream has said that it is at its end. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** Whether a comment or an event has come, other than that of the end. Nothing passes before. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /** Whether the provider has told of an error, or the bytes are no events. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /**
   * Whether the answer is whole: the stream said that it is done, why the model stopped in each answer, or what all of it
   * used.
   */
  get isWhole(): boolean {
    return this.#hasBegun && !this.#hasFailed && (this.#isDone || this.#finished.isAll || this.isUsageFinal)
  }

  /**
   * @param chunk may be overwritten when what is returned has been used
   * @returns what goes on to the client, perhaps a part of `chunk`; may be empty
   */
  push(chunk: Buffer): Buffer {
    const bytes = this.#advance(chunk)
    return this.#hasBegun || bytes.length === 0 ? bytes : this.#wait(bytes)
  }

  #advance(chunk: Buffer): Buffer {
    if (this.#hasFailed) return none
    if (this.#held.length === 0 && endsPlainly(chunk)) return this.#lookInto(chunk)
    const before = this.#end()
    if (this.#isPassing) {
      const end = firstBoundary(chunk, 0, before)
      if (end === 0) {
        this.#held = [Buffer.concat([before, chunk]).subarray(-3)]
        this.received.skipped(chunk.length)
        return chunk
      }
      this.received.skipped(end)
      this.#isPassing = false
      this.#take()
      return Buffer.concat([chunk.subarray(0, end), this.#advance(chunk.subarray(end))])
    }
    const end = lastBoundary(chunk, before)
    if (end > 0) {
      const complete = this.#take(chunk.subarray(0, end))
      this.#hold(chunk.subarray(end))
      return this.#isPassing ? Buffer.concat([this.#lookInto(complete), this.#pass()]) : this.#lookInto(complete)
    }
    this.#hold(chunk)
    return this.#isPassing ? this.#pass() : none
  }

  /** @returns what remains when the stream has ended: an event without its blank line */
  end(): Buffer {
    if (this.#isPassing || this.#hasFailed) return none
    const wasFinished = this.#finished.isAll
    const rest = this.#take()
    const bytes = this.#lookInto(rest)
    // An event that is cut may be cut within its reason.
    if (!wasFinished && this.#finished.isAll) this.#finished.isAll = dataIn(rest) !== undefined
    return this.#hasBegun ? bytes : this.#wait(bytes)
  }

  /** @returns all bytes that waited, once the stream has begun */
  #wait(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#waiting, bytes])
    // An event of usage may be left out. It is a beginning all the same.
    this.#hasBegun = this.usage !== null || beginning.test(all.toString('latin1'))
    this.#waiting = this.#hasBegun ? none : all
    if (all.length > longestLookedInto && !this.#hasBegun) this.#hasFailed = true
    return this.#hasBegun ? all : none
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held.push(Buffer.from(bytes))
    this.#heldBytes += bytes.length
    if (this.#heldBytes > longestLookedInto) this.#isPassing = true
  }

  /** Everything held, of which the end stays known: the boundary may lie across it. */
  #pass(): Buffer {
    const passed = this.#take()
    this.received.skipped(passed.length)
    this.#held = [passed.subarray(-3)]
    return passed
  }

  #take(last: Buffer = none): Buffer {
    const all = this.#held.length === 0 ? last : Buffer.concat([...this.#held, last])
    this.#held = []
    this.#heldBytes = 0
    return all
  }

  /** The last bytes of what is held; three, if there are so many. */
  #end(): Buffer {
    const last = this.#held.at(-1)
    if (last === undefined) return none
    return last.length >= 3 || this.#held.length === 1 ? last : Buffer.concat(this.#held.slice(-3))
  }

  #lookInto(events: Buffer): Buffer {
    const text = events.toString('latin1')
    // Searched in each chunk, and the letter e is everywhere.
    const failedAt = text.includes('rror') ? failureIn(events, text) : -1
    if (failedAt >= 0) {
      const before = failedAt === 0 ? none : this.#lookInto(events.subarray(0, failedAt))
      this.#hasFailed = true
      return before
    }
    if (!this.#finished.isAll) this.#finished.add(events, text)
    // Nearly all chunks end with an object.
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

  /** Takes the usage of an event that has one. @returns whether it has nothing else */
  #isUsageOnly(event: Buffer): boolean {
    const data = dataIn(event)
    // Groq has a member of its own for it; Moonshot puts it into the choice.
    const usage = readUsage(
      memberOf(data, 'usage') ?? memberOf(memberOf(data, 'x_groq'), 'usage') ?? usageOfChoice(data)
    )
    if (usage === null) return false
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

/** @returns where the first event begins that tells of an error; -1 if none does */
function failureIn(events: Buffer, text: string): number {
  const line = errorLine.exec(text)
  // Up to the first letter of the line: a CR at the end may be the first half of CR LF.
  const namedAt = line === null ? -1 : lastBoundary(events.subarray(0, line.index + line[0].indexOf('e') + 1))
  const toldAt = errorDataIn(events, text)
  return toldAt < 0 || (namedAt >= 0 && namedAt < toldAt) ? namedAt : toldAt
}

/** @returns where the first event begins whose data tell of an error; -1 if none does */
function errorDataIn(events: Buffer, text: string): number {
  for (let at = findName(text, errorName, 0); at >= 0; ) {
    let next = at + errorName.length
    if (!isNull(events, next)) {
      const start = lastBoundary(events.subarray(0, at))
      const end = firstBoundary(events, at) || events.length
      if (isFailure(events.subarray(start, end))) return start
      next = end
    }
    at = findName(text, errorName, next)
  }
  return -1
}

/** Whether an event tells of an error, also as a list (Gemini). */
function isFailure(event: Buffer): boolean {
  const data = dataIn(event)
  return Array.isArray(data) ? data.some(tellsError) : tellsError(data)
}

/** Whether data tell of an error: in a member of their own, of Groq, or of a choice (OpenRouter), or by their `object` (vLLM). */
function tellsError(data: unknown): boolean {
  if (memberOf(data, 'error') || memberOf(data, 'object') === 'error') return true
  if (memberOf(memberOf(data, 'x_groq'), 'error')) return true
  const choices = memberOf(data, 'choices')
  return (
    Array.isArray(choices) &&
    choices.some((choice) => memberOf(choice, 'error') || memberOf(choice, 'finish_reason') === 'error')
  )
}

/** Whether the member whose name ends at `nameEnd` is null, as it is in every chunk but the last of some providers. */
function isNull(bytes: Buffer, nameEnd: number): boolean {
  return bytes[valueAfter(bytes, nameEnd)] === letterN
}

const letterN = 0x6e
/** An event that is named so (OpenAI), whatever its data are. */
const errorLine = /(?:^|[\r\n])event: ?error(?=[\r\n]|$)/
/** Behind the end of a line: within the JSON of an event there is none. */
const doneEvent = /(?:^|[\r\n])data: ?\[DONE\]/
/** A comment or a field of an event, other than the event of the end. */
const beginning = /(?:^(?:\xef\xbb\xbf)?|[\r\n])(?::|event:|id:|retry:|data:(?! ?\[DONE\]))/
const none = Buffer.alloc(0)
