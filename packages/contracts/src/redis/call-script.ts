import { Command } from 'ioredis'
import { gatherBytes } from './gather-writes.ts'
import type { RedisLink } from './redis-link.ts'

/** Keys and arguments of a script in the form of the wire: bulk strings of RESP 2, one after the other, as texts of bytes. */
export type ScriptCall = {
  keyCount: number
  keys: string
  /** Of those that follow the first one: that is the run of the Redis process at the other end, and is added here. */
  argumentCount: number
  rest: string
}

/** A text of bytes as the wire has it. */
export function bulk(bytes: string): string {
  return `$${bytes.length}\r\n${bytes}\r\n`
}

/**
 * Runs a script. What it is given is encoded by the caller, who knows what of it stays the same from call to call: ioredis
 * would encode every argument of every call, which is much of what a request costs.
 *
 * @param name of the script's command
 * @throws RedisAwayError if nothing was sent; ioredis' error if no answer comes in time
 */
export async function callScript(link: RedisLink, name: string, call: ScriptCall): Promise<unknown> {
  const run = bulk(link.run())
  const script = link.scripts.get(name)!
  const { keyCount, keys, argumentCount, rest } = call
  const text = `*${4 + keyCount + argumentCount}\r\n$7\r\nEVALSHA\r\n${bulk(script.sha)}${bulk(String(keyCount))}${keys}${run}${rest}`
  try {
    return await link.client.sendCommand(new EncodedCommand(text))
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    // The server does not have it yet, and has done nothing.
    await link.client.script('LOAD', script.lua)
    return link.client.sendCommand(new EncodedCommand(text))
  }
}

/** A command whose bytes are already known. */
class EncodedCommand extends Command {
  readonly #bytes: string

  constructor(bytes: string) {
    super('evalsha', [], { replyEncoding: 'utf8' })
    this.#bytes = bytes
  }

  /** ioredis writes what this returns, as UTF-8. */
  override toWritable(stream: object): string {
    gatherBytes(stream, this.#bytes)
    return ''
  }
}
