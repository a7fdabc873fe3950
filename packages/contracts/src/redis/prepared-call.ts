import { Command } from 'ioredis'
import type { RedisLink } from './redis-link.ts'

/** The encoded beginning of a script call, and what it was encoded for. */
type Encoded = { readonly run: string; readonly sha: string; readonly count: number; readonly text: string }

/**
 * A call of a script that is made often with the same first arguments, so that they are encoded once (as arrays of bulk
 * strings, RESP 2) rather than each time.
 *
 * The first argument after the keys is the run of the Redis process at the other end; it is filled in here.
 */
export class PreparedCall {
  readonly #name: string
  readonly #keys: readonly string[]
  readonly #args: readonly string[]
  #encoded: Encoded | null = null

  /** @param name of the script's command */
  constructor(name: string, keys: readonly string[], args: readonly string[]) {
    this.#name = name
    this.#keys = keys
    this.#args = args
  }

  /**
   * @param rest the arguments that follow
   * @throws RedisAwayError if nothing was sent; ioredis' error if no answer comes in time
   */
  async send(link: RedisLink, rest: readonly string[] = none): Promise<unknown> {
    const run = link.run()
    const sha = link.scripts.get(this.#name)!
    if (this.#encoded === null || this.#encoded.run !== run || this.#encoded.sha !== sha) {
      const parts = ['EVALSHA', sha, String(this.#keys.length), ...this.#all(run)]
      this.#encoded = { run, sha, count: parts.length, text: encode(parts) }
    }
    const text = `*${this.#encoded.count + rest.length}\r\n${this.#encoded.text}${encode(rest)}`
    try {
      return await link.client.sendCommand(new EncodedCommand(text))
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      // ioredis sends a script whole to a server that does not have it.
      return Reflect.apply(Reflect.get(link.client, this.#name), link.client, [...this.#all(run), ...rest])
    }
  }

  #all(run: string): string[] {
    return [...this.#keys, run, ...this.#args]
  }
}

/** A command whose bytes are already known. */
class EncodedCommand extends Command {
  readonly #text: string

  constructor(text: string) {
    super('evalsha', [], { replyEncoding: 'utf8' })
    this.#text = text
  }

  override toWritable(): string {
    return this.#text
  }
}

const none: readonly string[] = []

function encode(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `$${Buffer.byteLength(part)}\r\n${part}\r\n`
  return text
}
