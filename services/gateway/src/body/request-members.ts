import { beyondLimit, notValid, repeated, unknownName } from './body-fault.ts'
import { decodeText } from './json-text.ts'
import { maxMembers, maxReadLength } from './limits.ts'
import { fold, type MemberSpan } from './members.ts'
import { anyShape, type KnownMember, type Shape } from './shape.ts'

/** Stands for a value that is too long to be kept, or whose place alone matters. */
export const elided: object = Object.freeze({})

/** A name that is its own spelling, as nearly all are. */
const isPlainName = /^[a-z0-9_]*$/

/** The request's own members: any may be there, but none twice, in whichever case. */
export class RequestMembers {
  /** Their values; longer ones, and those of bulk shapes, are {@link elided}. */
  readonly members: Record<string, unknown> = {}
  /** By their names, in lower case. */
  readonly spans = new Map<string, MemberSpan>()
  readonly #bytes: Buffer
  #name = ''
  #spelling = ''
  #shape: Shape = anyShape

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * A member begins.
   *
   * @param found null if its name, from `start` to `end`, is not a known one
   * @returns the shape of its value
   * @throws ServiceError invalid_request for a name that is there already, or is a known one in another spelling
   */
  begin(found: KnownMember | null, known: ReadonlySet<string>, start: number, end: number): Shape {
    const name = found?.name ?? decodeText(this.#bytes, start, end)
    const spelling = found !== null || isPlainName.test(name) ? name : fold(name)
    // Parsers differ in which of two members they believe, and some (Go's) take a name in any case for the one they know:
    // the upstream might serve what was not judged here.
    if (this.spans.has(spelling)) throw repeated(name)
    if (found === null && known.has(spelling)) throw unknownName(name, name, known)
    if (this.spans.size >= maxMembers) throw beyondLimit(`has more than ${maxMembers.toLocaleString('en')} members`)
    this.#name = name
    this.#spelling = spelling
    this.#shape = found?.shape ?? anyShape
    return this.#shape
  }

  /**
   * The member's value is over.
   *
   * @param value of a scalar; undefined for an object or array
   * @throws ServiceError invalid_request for one that is longer than any that the gateway reads
   */
  end(value: unknown, start: number, end: number): void {
    const name = this.#name
    this.spans.set(this.#spelling, { name, start, end })
    let kept = value
    if (value === undefined) {
      const { isBulk, members, kinds } = this.#shape
      if (isBulk) kept = elided
      else if (end - start <= maxReadLength) kept = JSON.parse(this.#bytes.toString('utf8', start, end))
      else if (members !== null || kinds !== anyShape.kinds) throw notValid(name)
      else kept = elided
    }
    if (name !== '__proto__') this.members[name] = kept
  }
}
