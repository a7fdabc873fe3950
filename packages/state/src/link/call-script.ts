import { Command } from 'ioredis'
import { guardName, type Shard } from '../keyspace/names.ts'
import { gatherBytes } from '../wire/gather-writes.ts'
import { bulk, utf8 } from '../wire/packed.ts'
import type { PreparedAccount } from '../wire/prepared-account.ts'
import type { Script } from '../wire/scripts.ts'
import { RedisAwayError, type RedisLink, type RedisNode, withoutCommand } from './redis-link.ts'
import { withRefusal } from './refused-error.ts'

/** Keys and arguments of a script in the form of the wire: bulk strings of RESP 2, one after the other, as texts of bytes. */
export type ScriptCall = {
  keyCount: number
  keys: string
  /** Of those that follow the first one: that is the run of the Redis process at the other end, and is added here. */
  argumentCount: number
  rest: string
  /** Whether what it returns is not text. */
  answersInBytes?: boolean
}

/**
 * Runs a script. What it is given is encoded by the caller, who knows what of it stays the same from call to call: ioredis
 * would encode every argument of every call, which is much of what a request costs.
 *
 * @param name of the script's command
 * @throws RedisAwayError if nothing was done, RedisRefusedError if Redis has said so; else ioredis' error: then it is not
 *   known whether something was
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
    // The server does not have it yet, and has done nothing.
    await loadScript(node, script, sentTo)
    return callScript(node, name, call)
  }
}

/** @throws RedisAwayError if the server cannot be given the script, or another process has taken its place meanwhile */
async function loadScript(node: RedisNode, script: Script, run: string): Promise<void> {
  try {
    await node.client.script('LOAD', script.lua)
  } catch (error) {
    throw new RedisAwayError(error instanceof Error ? withoutCommand(error) : error)
  }
  if (node.run() !== run) throw new RedisAwayError()
}

/**
 * Runs a script that makes names in the slot of a shard.
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
 * @param rest arguments after the run
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

/** A command whose bytes are already known. */
class EncodedCommand extends Command {
  #bytes: string

  constructor(bytes: string, answersInBytes: boolean) {
    super('evalsha', [], { replyEncoding: answersInBytes ? null : 'utf8' })
    this.#bytes = bytes
  }

  /**
   * ioredis writes what this returns, as UTF-8. It asks once, for nothing is ever sent again (see link/redis-node.ts), so the
   * bytes need not be kept: of commands that were answered, many survive a collection, and would take them along.
   */
  override toWritable(stream: object): string {
    gatherBytes(stream, this.#bytes)
    this.#bytes = ''
    return ''
  }
}
