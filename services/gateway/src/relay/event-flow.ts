import type { ReceivedText } from '../tokens/received-text.ts'
import type { ReportedUsage } from '../usage/usage.ts'
import type { IssuedIds } from './issued-ids.ts'
import { endsPlainly, firstBoundary, lastBoundary } from './server-sent-events.ts'

/** Longer events pass in parts. */
export const maxInspectedBytes = 65_536

/**
 * Reads the events of a stream on their way to the client. An event passes when it is complete, because a client cannot
 * use a part of an event. Only an event that is too long to be held back passes in parts. Each format of answers
 * inspects its own events.
 */
export abstract class EventFlow {
  /** The last usage that the stream reported; null before it. */
  usage: ReportedUsage | null = null
  /** The model that the first events name; null if they name none. */
  model: string | null = null
  /** The received words. */
  readonly received: ReceivedText
  /** Whether the provider reported an error, or the bytes are not events. */
  hasFailed = false
  /** The event that reported the error; null if none did. */
  failedEvent: Buffer | null = null
  /** The incomplete event at the end. */
  #backlog: Buffer[] = []
  #backlogBytes = 0
  #hasBegun = false
  /** Bytes before the first event. */
  #waiting: Buffer = none
  /** Whether an event passes in parts, because it is too long to be held back. */
  #isPassing = false

  /** @param received gets the words of all whole events */
  constructor(received: ReceivedText) {
    this.received = received
  }

  /** Whether the usage counts everything, so that the model produces nothing more. */
  abstract get isUsageFinal(): boolean

  /** Whether words followed the event with the usage. Then the usage does not count all words. */
  abstract get hasWordsAfterUsage(): boolean

  /** Whether the last event of the format arrived. */
  abstract get isDone(): boolean

  /** Whether the answer is whole. */
  abstract get isWhole(): boolean

  /** The ids of a whole answer that the provider may store; null if there are none. */
  get issued(): IssuedIds | null {
    return null
  }

  /**
   * Whether the provider has done work that it bills: it sent words of the model, or began to call a tool of its own.
   */
  get hasWork(): boolean {
    return this.received.size > 0
  }

  /** The number of the next event, for APIs that number their events. */
  get nextNumber(): number {
    return 0
  }

  /** Whether only a part of an event has passed. */
  get isWithinEvent(): boolean {
    return this.#isPassing
  }

  /** Whether a comment or an event arrived that begins an answer. Nothing passes before that. */
  get hasBegun(): boolean {
    return this.#hasBegun
  }

  /**
   * Inspects whole events. Bytes after a reported error must not pass.
   *
   * @returns the bytes for the client
   */
  protected abstract inspect(events: Buffer): Buffer

  /** Reads a part of an event that passes in parts. The parts come in order. @param isEnd whether it is the last one */
  protected readPart(part: Buffer, _isEnd: boolean): void {
    this.received.skip(part.length)
  }

  /** Whether these first bytes of a stream begin an answer. @param text one character per byte */
  protected abstract begins(text: string): boolean

  /**
   * @param chunk may be overwritten once the returned bytes have been used
   * @returns the bytes for the client; may be empty, or share memory with `chunk`
   */
  push(chunk: Buffer): Buffer {
    const bytes = this.#advance(chunk)
    return this.#hasBegun || bytes.length === 0 ? bytes : this.#wait(bytes)
  }

  #advance(chunk: Buffer): Buffer {
    if (this.hasFailed) return none
    if (this.#backlog.length === 0 && endsPlainly(chunk)) return this.inspect(chunk)
    const before = this.#end()
    if (this.#isPassing) {
      const end = firstBoundary(chunk, 0, before)
      if (end === 0) {
        this.#backlog = [Buffer.concat([before, chunk]).subarray(-3)]
        this.readPart(chunk, false)
        return chunk
      }
      this.readPart(chunk.subarray(0, end), true)
      this.#isPassing = false
      this.#take()
      return Buffer.concat([chunk.subarray(0, end), this.#advance(chunk.subarray(end))])
    }
    const end = lastBoundary(chunk, before)
    if (end > 0) {
      const complete = this.#take(chunk.subarray(0, end))
      this.#hold(chunk.subarray(end))
      return this.#isPassing ? Buffer.concat([this.inspect(complete), this.#pass()]) : this.inspect(complete)
    }
    this.#hold(chunk)
    return this.#isPassing ? this.#pass() : none
  }

  /** Ends the stream. @returns the rest: an event without its blank line */
  end(): Buffer {
    if (this.#isPassing || this.hasFailed) return none
    const bytes = this.inspectRest(this.#take())
    return this.#hasBegun ? bytes : this.#wait(bytes)
  }

  /** Inspects the last event, which has no blank line and may be cut. @returns the bytes for the client */
  protected inspectRest(rest: Buffer): Buffer {
    return this.inspect(rest)
  }

  /** Holds bytes back until the first event. @returns all of them after it */
  #wait(bytes: Buffer): Buffer {
    const all = Buffer.concat([this.#waiting, bytes])
    const text = all.toString('latin1')
    this.#hasBegun = this.begins(text)
    if (this.#hasBegun) this.model = namedModel.exec(text)?.[1] ?? null
    this.#waiting = this.#hasBegun ? none : all
    if (all.length > maxInspectedBytes && !this.#hasBegun) this.hasFailed = true
    return this.#hasBegun ? all : none
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#backlog.push(Buffer.from(bytes))
    this.#backlogBytes += bytes.length
    if (this.#backlogBytes > maxInspectedBytes) this.#isPassing = true
  }

  /** Returns all held bytes, and keeps their end, because a boundary may begin there. An error must not pass. */
  #pass(): Buffer {
    const passed = this.#take()
    if (errorBeginning.test(passed.toString('latin1', 0, maxBeginning))) {
      this.hasFailed = true
      return none
    }
    this.readPart(passed, false)
    this.#backlog = [passed.subarray(-3)]
    return passed
  }

  #take(last: Buffer = none): Buffer {
    const all = this.#backlog.length === 0 ? last : Buffer.concat([...this.#backlog, last])
    this.#backlog = []
    this.#backlogBytes = 0
    return all
  }

  /** The last three held bytes, or all if there are fewer. */
  #end(): Buffer {
    const last = this.#backlog.at(-1)
    if (last === undefined) return none
    return last.length >= 3 || this.#backlog.length === 1 ? last : Buffer.concat(this.#backlog.slice(-3))
  }
}

/** An event that reports an error, as far as its beginning tells. */
const errorBeginning =
  /^(?:event: ?error[\r\n]|(?:event:[^\r\n]*[\r\n]+)?data: ?\[?{\s*"(?:error":\s*[^n\s]|type":\s*"error"))/
const maxBeginning = 200
/** The member `model` of an event. Names with escapes are not read. */
const namedModel = /"model": ?"([^"\\]{1,200})"/
const none = Buffer.alloc(0)
