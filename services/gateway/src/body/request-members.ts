import { beyondLimit, repeated, tooLong, unknownName } from './body-fault.ts'
import { decodeText } from './json-text.ts'
import { maxMembers, maxReadLength } from './limits.ts'
import { fold, type MemberSpan } from './members.ts'
import { anyShape, type KnownMember, type Shape } from './shape.ts'

/** Replaces a value that is too long to keep, or that the gateway needs only by its place. */
export const elided: object = Object.freeze({})

/** Matches names in lower case, as nearly all are. */
const isPlainName = /^[a-z0-9_]*$/

/** The top-level members of a request. Any name is allowed, but only once, in whichever case. */
export class RequestMembers {
  /** Values by name. Long values, and those of bulk shapes, are {@link elided}. */
  readonly members: Record<string, unknown> = {}
  /** By name, in lower case. */
  readonly spans = new Map<string, MemberSpan>()
  readonly #bytes: Buffer
  #name = ''
  #spelling = ''
  #shape: Shape = anyShape

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * Begins a member.
   *
   * @param member null if the name from `start` to `end` is not known
   * @returns the shape of its value
   * @throws ServiceError invalid_request for a repeated name, or a known name in another spelling
   */
  begin(member: KnownMember | null, names: ReadonlySet<string>, start: number, end: number): Shape {
    const name = member?.name ?? decodeText(this.#bytes, start, end)
    const spelling = member !== null || isPlainName.test(name) ? name : fold(name)
    // Parsers differ in which of two members they use, and some (Go's) ignore the case of names. The upstream might use
    // a value that was not checked here.
    if (this.spans.has(spelling)) throw repeated(name)
    if (member === null && names.has(spelling)) throw unknownName(name, name, names)
    if (this.spans.size >= maxMembers) throw beyondLimit(`has more than ${maxMembers.toLocaleString('en')} members`)
    this.#name = name
    this.#spelling = spelling
    this.#shape = member?.shape ?? anyShape
    return this.#shape
  }

  /**
   * Ends the member.
   *
   * @param value the value of a scalar; undefined for an object or array
   * @throws ServiceError invalid_request if the gateway reads this member and its value is too long
   */
  end(value: unknown, start: number, end: number): void {
    const name = this.#name
    this.spans.set(this.#spelling, { name, start, end })
    let memberValue = value
    if (value === undefined) {
      const { isBulk, members, kinds } = this.#shape
      if (isBulk) memberValue = elided
      else if (end - start <= maxReadLength) memberValue = JSON.parse(this.#bytes.toString('utf8', start, end))
      else if (members !== null || kinds !== anyShape.kinds) throw tooLong(name)
      else memberValue = elided
    }
    if (name !== '__proto__') this.members[name] = memberValue
  }
}
