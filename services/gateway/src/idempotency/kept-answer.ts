/** An answer that is kept for repeated requests. */
export interface KeptAnswer {
  readonly contentType: string
  /** The id of the request that it answered first. */
  readonly requestId: string
  /** The output tokens that each choice could have; null for an endpoint without output. */
  readonly grantedTokens: number | null
  /** As the first client got it. */
  readonly body: Buffer
}

const lineFeed = 0x0a

/** One line of JSON, and the body. */
export function packAnswer({ body, ...head }: KeptAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

/** @param packed by {@link packAnswer} */
export function unpackAnswer(packed: Buffer): KeptAnswer {
  const end = packed.indexOf(lineFeed)
  const head = JSON.parse(packed.toString('utf8', 0, end)) as Omit<KeptAnswer, 'body'>
  return { ...head, body: packed.subarray(end + 1) }
}
