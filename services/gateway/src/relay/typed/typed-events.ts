import { ReceivedText } from '../../tokens/received-text.ts'
import { firstBoundary } from '../event-boundaries.ts'
import { dataOf } from '../event-data.ts'
import { EventFlow } from '../event-flow.ts'
import { MemberScan } from './member-scan.ts'

/**
 * Reads a stream whose events name their type: Responses and Messages. All events pass unchanged, but one that reports an error does not
 * pass, and all bytes after it are dropped.
 */
export abstract class TypedEvents extends EventFlow {
  readonly #paths: readonly string[]
  /** Reads an event that passes in parts; null between them. */
  #scan: MemberScan | null = null

  /** @param paths the members of an event's data that are read, with `type` */
  constructor(paths: readonly string[]) {
    super(new ReceivedText('delta', false))
    this.#paths = paths
  }

  /** Whether one of some events may matter. This runs for each chunk. @param text one character per byte */
  protected abstract mayMatter(text: string): boolean

  /** Reads an event. @returns whether it passes; if not, it reports an error */
  protected abstract read(type: unknown, event: MemberScan): boolean

  /** Any comment or field of an event begins an answer. */
  protected begins(text: string): boolean {
    return beginning.test(text)
  }

  protected inspect(events: Buffer): Buffer {
    const text = events.toString('latin1')
    const passing = this.mayMatter(text) ? this.#readAll(events, text) : events
    this.received.add(passing, passing.length === events.length ? text : text.slice(0, passing.length))
    return passing
  }

  /** @returns the events before an error */
  #readAll(events: Buffer, text: string): Buffer {
    for (let from = 0; from < events.length; ) {
      const end = firstBoundary(events, from) || events.length
      if (this.mayMatter(text.slice(from, end))) {
        const scan = new MemberScan(this.#paths)
        scan.push(Buffer.from(dataOf(events.subarray(from, end))))
        if (!this.read(scan.valueOf('type'), scan)) {
          this.hasFailed = true
          return events.subarray(0, from)
        }
      }
      from = end
    }
    return events
  }

  protected override readPart(part: Buffer, isEnd: boolean): void {
    super.readPart(part, isEnd)
    if (this.#scan === null) {
      this.#scan = new MemberScan(this.#paths)
      const data = fieldName.exec(part.toString('latin1', 0, maxFieldAt))
      this.#scan.push(part.subarray(data === null ? part.length : data.index + data[0].length))
    } else this.#scan.push(part)
    if (!isEnd) return
    this.read(this.#scan.valueOf('type'), this.#scan)
    this.#scan = null
  }
}

/** A comment or a field of an event. */
const beginning = /(?:^(?:\xef\xbb\xbf)?|[\r\n])(?::|event:|id:|retry:|data:)/
/** Within this many bytes, the data of an event begin. */
const maxFieldAt = 1024
const fieldName = /(?:^|[\r\n])data:/
