import fc from 'fast-check'

/** Pieces of HTTP, JSON and event streams that may change the meaning of bytes around them. */
const tokens = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '0\r\n\r\n',
    '5\r\n',
    'ffffffffffffffff\r\n'
  ],
  ...['Content-Length: 5\r\n', 'content-length: 0\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n'],
  ...['Expect: 100-continue\r\n', 'Upgrade: h2c\r\n', 'Content-Encoding: gzip\r\n', 'Content-Type: text/plain\r\n'],
  ...['HTTP/1.0', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', 'GET / HTTP/1.1\r\n', 'retry-after: x\r\n'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    'null',
    'true',
    '-1',
    '1e999',
    '{"a":',
    '[[[[',
    '"model":"large",'
  ],
  ...[
    'data:',
    'data: ',
    'data: [DONE]\n\n',
    ': comment\n',
    'event: x\n',
    '"usage":',
    '"usage":{"prompt_tokens":1},',
    '\ufeff'
  ],
  ...['é', '🎉', '\u2028', '__proto__', '%00', '/../', '?', '#', 'Bearer ', 'x'.repeat(300)]
].map((token) => Buffer.from(token))

interface Mutation {
  kind: 'insert' | 'delete' | 'flip' | 'repeat' | 'cut' | 'swap'
  at: number
  length: number
  token: Buffer
}

/** A place as a share of the length. Random doubles would nearly all be close to 0. */
export const place = fc.noBias(fc.nat({ max: 10_000 })).map((at) => at / 10_000)

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('insert', 'insert', 'delete', 'flip', 'repeat', 'cut', 'swap'),
  at: place,
  length: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }) }
  ),
  token: fc.oneof(
    fc.constantFrom(...tokens),
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes))
  )
})

/** A few mutations, or none. Requests that stay valid must be served. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.tuple(mutation) },
  { weight: 1, arbitrary: fc.array(mutation, { maxLength: 5 }) }
)

/** Applies mutations, in order. */
export function mutate(bytes: Buffer, changes: readonly Mutation[]): Buffer {
  let now = bytes
  for (const { kind, at, length, token } of changes) {
    const start = Math.floor(at * now.length)
    const [before, part, after] = [
      now.subarray(0, start),
      now.subarray(start, start + length),
      now.subarray(start + length)
    ]
    switch (kind) {
      case 'insert':
        now = Buffer.concat([before, token, part, after])
        break
      case 'swap':
        now = Buffer.concat([before, token, after])
        break
      case 'delete':
        now = Buffer.concat([before, after])
        break
      case 'flip':
        now = Buffer.concat([before, part.map((byte) => byte ^ (token[0] ?? 1)), after])
        break
      case 'repeat':
        now = Buffer.concat([before, part, part, after])
        break
      case 'cut':
        now = before
    }
  }
  return now
}

/** The places at which to cut bytes into pieces. */
export const cuts: fc.Arbitrary<number[]> = fc.array(place, { maxLength: 6 })

export function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = at.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b)
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
}
