import { ReceivedText } from '../tokens/received-text.ts'
import { EventFlow } from './event-flow.ts'
import { MemberScan } from './member-scan.ts'
import type { Level } from './searched-members.ts'
import { dataBytes, errorLine, firstBoundary } from './server-sent-events.ts'

/**
 * Reads a stream whose events name their type: Responses and Messages. All events pass unchanged, but those that {@link
 * shown} changes. One that reports an error does not pass, and all bytes after it are dropped.
 */
export abstract class TypedEvents extends EventFlow {
  readonly #search: Level
  /** Reads an event that passes in parts; null between them. */
  #scan: MemberScan | null = null

  /** @param search for the members of an event's data that are read, with `type` */
  constructor(search: Level) {
    super(new ReceivedText('delta', false))
    this.#search = search
  }

  /** Whether one of some events may matter. This runs for each chunk. @param text one character per byte */
  protected abstract mayMatter(text: string): boolean

  /** Reads an event. @returns whether it passes; if not, it reports an error */
  protected abstract read(type: unknown, event: MemberScan): boolean

  /** Whether events of a type may have words of the model. Others may repeat members of the client's request. */
  protected hasWords(_type: unknown): boolean {
    return true
  }

  /** Whether an event passes unread. Asked only of events that may matter. @param _text one character per byte */
  protected passesUnread(_text: string): boolean {
    return false
  }

  /** The bytes of an event that passes. */
  protected shown(_type: unknown, event: Buffer): Buffer {
    return event
  }

  /** Called with events that pass. @param _text one character per byte */
  protected passed(_text: string): void {}

  /** Any comment or field of an event begins an answer. */
  protected begins(text: string): boolean {
    return beginning.test(text)
  }

  protected inspect(events: Buffer): Buffer {
    const text = events.toString('latin1')
    if (this.mayMatter(text)) return this.#readAll(events, text)
    this.received.add(events, text)
    this.passed(text)
    return events
  }

  /** @returns the events before an error */
  #readAll(events: Buffer, text: string): Buffer {
    const isPlain = !text.includes('\r')
    /** All before `passedTo`, if an event was changed. */
    const changed: Buffer[] = []
    let passedTo = 0
    for (let from = 0; from < events.length; ) {
      const end = (isPlain ? nextBlankLine(text, from) : firstBoundary(events, from)) || events.length
      const eventText = text.slice(from, end)
      const event = events.subarray(from, end)
      const bytes = this.#readEvent(event, eventText)
      if (bytes === null) {
        this.hasFailed = true
        this.failedEvent = event
        return joined(changed, events.subarray(passedTo, from))
      }
      if (bytes !== event) {
        changed.push(events.subarray(passedTo, from), bytes)
        passedTo = end
      }
      this.passed(eventText)
      from = end
    }
    return joined(changed, events.subarray(passedTo))
  }

  /** @returns the bytes that pass; null if the event reports an error */
  #readEvent(event: Buffer, text: string): Buffer | null {
    let [type, bytes]: [unknown, Buffer] = [undefined, event]
    if (this.mayMatter(text)) {
      if (this.passesUnread(text)) return event
      // An event of this name is a failure, whatever its data.
      if (errorLine.test(text)) return null
      const scan = new MemberScan(this.#search)
      scan.push(dataBytes(event, text))
      type = scan.valueOf('type')
      // The last event of a stream may be cut.
      if (scan.isClosed) {
        if (!this.read(type, scan)) return null
        bytes = this.shown(type, event)
      }
    }
    if (this.hasWords(type)) this.received.add(event, text)
    return bytes
  }

  protected override readPart(part: Buffer, isEnd: boolean): void {
    if (this.#scan === null) {
      this.#scan = new MemberScan(this.#search)
      const data = fieldName.exec(part.toString('latin1', 0, maxFieldAt))
      this.#scan.push(part.subarray(data === null ? part.length : data.index + data[0].length))
    } else this.#scan.push(part)
    const type = this.#scan.valueOf('type')
    if (this.hasWords(type)) this.received.skip(part.length)
    if (!isEnd) return
    if (this.#scan.isClosed) this.read(type, this.#scan)
    this.#scan = null
  }
}

const joined = (changed: readonly Buffer[], rest: Buffer): Buffer =>
  changed.length === 0 ? rest : Buffer.concat([...changed, rest])

/** Like `firstBoundary`, for text without CR: a search of V8 is faster than a loop. */
function nextBlankLine(text: string, from: number): number {
  const at = text.indexOf('\n\n', Math.max(0, from - 1))
  return at < 0 ? 0 : at + 2
}

/** A comment or a field of an event. */
const beginning = /(?:^(?:\xef\xbb\xbf)?|[\r\n])(?::|event:|id:|retry:|data:)/
/** Within this many bytes, the data of an event begin. */
const maxFieldAt = 1024
const fieldName = /(?:^|[\r\n])data:/
