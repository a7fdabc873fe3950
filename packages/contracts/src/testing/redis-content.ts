import type { Redis } from 'ioredis'

/** A database: strings, hashes and sorted sets (member → score) by name. */
export type RedisContent = Record<string, string | Record<string, string>>

/** Everything that is in a small database, except lists. */
export async function readContent(client: Redis): Promise<RedisContent> {
  const names = (await client.keys('*')).sort()
  const types = (await client.pipeline(names.map((name) => ['type', name])).exec()) ?? []
  const known = names.map((name, index) => ({ name, type: types[index]![1] as string }))
  const readers: Record<string, (name: string) => string[]> = {
    string: (name) => ['get', name],
    hash: (name) => ['hgetall', name],
    zset: (name) => ['zrange', name, '0', '-1', 'WITHSCORES']
  }
  const readable = known.filter(({ type }) => type in readers)
  const answers = (await client.pipeline(readable.map(({ name, type }) => readers[type]!(name))).exec()) ?? []
  return Object.fromEntries(readable.map(({ name }, index) => [name, plain(answers[index]![1])]))
}

function plain(answer: unknown): string | Record<string, string> {
  if (!Array.isArray(answer)) return answer as string | Record<string, string>
  return Object.fromEntries(
    answer.flatMap((text, index) => (index % 2 === 0 ? [[text, String(answer[index + 1])]] : []))
  )
}

/** Puts content into an empty database. What is a sorted set is told by its name. */
export async function writeContent(
  client: Redis,
  content: RedisContent,
  isSortedSet: (name: string) => boolean
): Promise<void> {
  const pipeline = client.pipeline()
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string') pipeline.set(name, value)
    else if (!isSortedSet(name)) pipeline.hset(name, value)
    else pipeline.zadd(name, ...Object.entries(value).flatMap(([member, score]) => [score, member]))
  }
  await pipeline.exec()
}
