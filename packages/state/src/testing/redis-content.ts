import type { Redis } from 'ioredis'

/** The content of a database: strings, hashes and sorted sets (member → score) by name, as binary strings. */
export type RedisContent = Record<string, string | Record<string, string>>

/** Reads a small database, except its lists. */
export async function readContent(client: Redis): Promise<RedisContent> {
  const names = (await client.keys('*')).sort()
  const types = (await client.pipeline(names.map((name) => ['type', name])).exec()) ?? []
  const known = names.map((name, index) => ({ name, type: types[index]![1] as string }))
  const readers: Record<string, (name: string) => string[]> = {
    string: (name) => ['getBuffer', name],
    hash: (name) => ['hgetallBuffer', name],
    zset: (name) => ['zrangeBuffer', name, '0', '-1', 'WITHSCORES']
  }
  const readable = known.filter(({ type }) => type in readers)
  const answers = (await client.pipeline(readable.map(({ name, type }) => readers[type]!(name))).exec()) ?? []
  return Object.fromEntries(readable.map(({ name }, index) => [name, plain(answers[index]![1])]))
}

function plain(answer: unknown): string | Record<string, string> {
  if (Buffer.isBuffer(answer)) return textOf(answer)
  if (!Array.isArray(answer)) {
    const fields = Object.entries(answer as Record<string, Buffer>)
    return Object.fromEntries(fields.map(([field, value]) => [field, textOf(value)]))
  }
  return Object.fromEntries(
    answer.flatMap((member, index) => (index % 2 === 0 ? [[textOf(member), textOf(answer[index + 1])]] : []))
  )
}

const textOf = (bytes: Buffer): string => bytes.toString('latin1')
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Writes content into an empty database. `isSortedSet` decides by name which entries are sorted sets. */
export async function writeContent(
  client: Redis,
  content: RedisContent,
  isSortedSet: (name: string) => boolean
): Promise<void> {
  const pipeline = client.pipeline()
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string') pipeline.set(name, bytesOf(value))
    else if (!isSortedSet(name)) {
      pipeline.hset(name, ...Object.entries(value).flatMap(([field, text]) => [field, bytesOf(text)]))
    } else pipeline.zadd(name, ...Object.entries(value).flatMap(([member, score]) => [score, member]))
  }
  await pipeline.exec()
}
