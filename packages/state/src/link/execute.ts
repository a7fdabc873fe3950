import type { ChainableCommander } from 'ioredis'
import { RedisAwayError, type RedisLink, type RedisNode, withoutCommand } from './redis-link.ts'

/** Thrown if Redis refused a script before it ran. */
export class RedisRefusedError extends RedisAwayError {
  override readonly name = 'RedisRefusedError'
}

const refusals =
  /^(ASK|BUSY|CLUSTERDOWN|CROSSSLOT|LOADING|MASTERDOWN|MISCONF|MOVED|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN) /

/**
 * Tells a refused script from a failed one. After a refusal the caller has nothing to cancel.
 *
 * @returns RedisRefusedError, or the same error if the script may have started
 */
export function withRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !refusals.test(error.message)) return error
  // An error inside the script may begin with the same word. Its message also names the script.
  return error.message.includes(' script: ') ? error : new RedisRefusedError(withoutCommand(error))
}

/** The result of a command: its error, or its answer. */
export type CommandResult = readonly [error: Error | null, answer?: unknown]

/**
 * Sends a command for each item, in one round trip to each process that has some of them.
 *
 * @param tagOf returns the tag that decides the process: see `RedisLink.nodeOf`
 * @param add adds one command to a pipeline
 * @returns the results in the order of the items. If a process cannot be reached, its items have that error
 */
export async function tryAll<Item>(
  link: RedisLink,
  items: readonly Item[],
  tagOf: (item: Item) => string,
  add: (pipeline: ChainableCommander, item: Item) => unknown
): Promise<CommandResult[]> {
  const results: CommandResult[] = []
  const byNode = new Map<RedisNode, number[]>()
  for (const [index, item] of items.entries()) {
    try {
      const node = link.nodeOf(tagOf(item))
      node.run()
      const indexes = byNode.get(node)
      if (indexes === undefined) byNode.set(node, [index])
      else indexes.push(index)
    } catch (error) {
      results[index] = [error as Error]
    }
  }
  await Promise.all(
    [...byNode].map(async ([node, indexes]) => {
      const pipeline = node.client.pipeline()
      for (const index of indexes) add(pipeline, items[index]!)
      const answers = (await pipeline.exec()) ?? []
      for (const [number, index] of indexes.entries()) results[index] = answers[number]!
    })
  )
  return results
}

/**
 * Like {@link tryAll}, but throws unless all commands succeed.
 *
 * @throws the first error; other commands may have been executed
 */
export async function executeAll<Item>(
  link: RedisLink,
  items: readonly Item[],
  tagOf: (item: Item) => string,
  add: (pipeline: ChainableCommander, item: Item) => unknown
): Promise<unknown[]> {
  const results = await tryAll(link, items, tagOf, add)
  for (const [error] of results) if (error !== null) throw error
  return results.map(([, answer]) => answer)
}
