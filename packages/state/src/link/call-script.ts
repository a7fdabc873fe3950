import { Command } from 'ioredis'
import { guardName, type Shard } from '../keyspace/names.ts'
import { gatherBytes } from '../wire/gather-writes.ts'
import { bulk, type PreparedAccount, utf8 } from '../wire/packed.ts'
import type { Script } from '../wire/scripts.ts'
import { withRefusal } from './execute.ts'
import { RedisAwayError, type RedisLink, type RedisNode, withoutCommand } from './redis-link.ts'

/** The encoded keys and arguments of a script: bulk strings of RESP 2 in binary strings, one after the other. */
export interface ScriptCall {
  keyCount: number
  keys: string
  /** Number of arguments without the first, the run id, which is added here. */
  argumentCount: number
  rest: string
  /** Whether the script returns binary data instead of text. */
  answersInBytes?: boolean
}

/**
 * Runs a script. The caller encodes the arguments, because it knows which of them stay the same. ioredis would encode
 * every argument of every call, which is a large part of the cost of a request.
 *
 * @param name of the script's command
 * @throws RedisAwayError if the script did not run, as RedisRefusedError if Redis refused it; else ioredis' error: then
 *   the script may have run
 */
async function callScript(node: RedisNode, name: string, call: ScriptCall): Promise<unknown> {
  const sentTo = node.run()
  const run = bulk(sentTo)
  const script = node.scripts.get(name)!
  const { keyCount, keys, argumentCount, rest, answersInBytes = false } = call
  const text = `*${4 + keyCount + argumentCount}\r\n$7\r\nEVALSHA\r\n${bulk(script.sha)}${bulk(String(keyCount))}${keys}${run}${rest}`
  try {
    return await node.client.sendCommand(new EncodedCommand(text, answersInBytes))
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw withRefusal(error)
    // The server does not have the script yet, so it did nothing.
    await loadScript(node, script, sentTo)
    return callScript(node, name, call)
  }
}

/** @throws RedisAwayError if the script cannot be loaded, or another process has replaced the server meanwhile */
async function loadScript(node: RedisNode, script: Script, run: string): Promise<void> {
  try {
    await node.client.script('LOAD', script.lua)
  } catch (error) {
    throw new RedisAwayError(error instanceof Error ? withoutCommand(error) : error)
  }
  if (node.run() !== run) throw new RedisAwayError()
}

/**
 * Runs a script whose names are all in the slot of a shard.
 *
 * @throws as {@link callScript}
 */
export function callForShard(link: RedisLink, shard: Shard, name: string, call: ScriptCall): Promise<unknown> {
  const node = link.nodeOf(shard)
  if (!link.isSpread) return callScript(node, name, call)
  const { keyCount, keys } = call
  return callScript(node, name, { ...call, keyCount: keyCount + 1, keys: keys + bulk(guardName(shard)) })
}

/**
 * Runs a script of one account, whose hash is its only key.
 *
 * @param rest arguments after the run id
 * @throws as {@link callScript}
 */
export function callForAccount(
  link: RedisLink,
  { shard, name: key }: PreparedAccount,
  name: string,
  rest: ReadonlyArray<string | number>
): Promise<unknown> {
  const encoded = rest.map((argument) => bulk(utf8(String(argument)))).join('')
  return callForShard(link, shard, name, { keyCount: 1, keys: key, argumentCount: rest.length, rest: encoded })
}

/** A command that is already encoded. */
class EncodedCommand extends Command {
  #bytes: string

  constructor(bytes: string, answersInBytes: boolean) {
    super('evalsha', [], { replyEncoding: answersInBytes ? null : 'utf8' })
    this.#bytes = bytes
  }

  /**
   * ioredis writes the returned text. It calls this once, because no command is sent again (see link/redis-node.ts). So
   * the bytes are dropped here: many answered commands survive a garbage collection, and would keep their bytes alive.
   */
  override toWritable(stream: object): string {
    gatherBytes(stream, this.#bytes)
    this.#bytes = ''
    return ''
  }
}
