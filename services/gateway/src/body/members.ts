const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const space = 0x20

/** Where a member's value stands in a body: `bytes.subarray(start, end)`. */
export type MemberSpan = { name: string; start: number; end: number }

/**
 * Finds the members of a JSON object in its bytes, without building anything else.
 * A body is forwarded as the client wrote it, byte for byte, except for the members that the gateway sets: this says
 * where those are. Members appear as often as the body has them, so that a repeated one can be refused: parsers differ
 * in which of two they believe.
 *
 * @param body bytes that `JSON.parse` has accepted as an object
 */
export function findMembers(body: Buffer): MemberSpan[] {
  const members: MemberSpan[] = []
  let at = skipSpace(body, 0) + 1
  for (;;) {
    at = skipSpace(body, at)
    if (body[at] === closeBrace) return members
    if (body[at] === comma) at = skipSpace(body, at + 1)
    const nameEnd = skipString(body, at)
    const name = memberName(body, at, nameEnd)
    const start = skipSpace(body, skipSpace(body, nameEnd) + 1)
    const end = skipValue(body, start)
    members.push({ name, start, end })
    at = end
  }
}

/** The body with one member's value replaced by other JSON. */
export function replaceValue(body: Buffer, span: MemberSpan, json: string): Buffer {
  return Buffer.concat([body.subarray(0, span.start), Buffer.from(json), body.subarray(span.end)])
}

function memberName(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start + 1, end - 1)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

function skipSpace(body: Buffer, from: number): number {
  let at = from
  while (body[at]! <= space) at++
  return at
}

/** @returns the index after the string's closing quote; the body's length if it has none */
export function skipString(body: Buffer, from: number): number {
  let at = from + 1
  // Most strings are short, where a call to indexOf costs more than it saves; prompts are long, where it hops.
  for (const near = at + 64; at < near; at++) {
    const byte = body[at]
    if (byte === quote) return at + 1
    if (byte === backslash) at++
  }
  for (;;) {
    at = body.indexOf(quote, at)
    if (at < 0) return body.length
    let before = at
    while (body[before - 1] === backslash) before--
    if ((at - before) % 2 === 0) return at + 1
    at++
  }
}

function skipValue(body: Buffer, from: number): number {
  const first = body[from]
  if (first === quote) return skipString(body, from)
  if (first !== openBrace && first !== openBracket) {
    let at = from
    for (; ; at++) {
      const byte = body[at]!
      if (byte === comma || byte === closeBrace || byte <= space) return at
    }
  }
  let depth = 0
  for (let at = from; ; ) {
    const byte = body[at]
    if (byte === quote) {
      at = skipString(body, at)
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      depth--
      if (depth === 0) return at + 1
    }
    at++
  }
}
