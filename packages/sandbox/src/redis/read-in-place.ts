import type { RedisDatabase, RedisDataValue, RedisKeyspace } from 'js-redis-server/core'

/** What the events of writes carry as the value. Their listeners only look whether a key changed. */
const anyValue = { type: 'string', value: Buffer.alloc(0) } as const

/**
 * Lets a database of `js-redis-server` read values in place.
 *
 * The package copies the whole value before each command that reads it, and again for each listener after each write: a command for
 * one field of a hash takes as long as the hash is large. The commands of the package build their replies at once and replace buffers
 * instead of changing them, so they need no copy.
 *
 * Notifications of a class of values (`notify-keyspace-events`) do not work then.
 */
export function readInPlace(database: RedisDatabase): void {
  const keyspace: RedisKeyspace = Reflect.get(database, 'keyspace')
  keyspace.get = (key) => {
    const type = keyspace.getType(key)
    return type === null
      ? null
      : keyspace.update<RedisDataValue, RedisDataValue>(key, type, notNeeded, (value) => value)
  }
  const { mutations } = database
  const emit = mutations.emit.bind(mutations)
  mutations.emit = (event) => emit(event.type === 'write' ? { ...event, value: anyValue } : event)
}

function notNeeded(): never {
  throw new Error('Only values that exist are read.')
}
