import { type RedisLuaRuntime, RedisServerState } from 'js-redis-server/core'
import { readInPlace } from './read-in-place.ts'

/**
 * The state of a `js-redis-server` that reads values in place, and whose Lua runs scripts as Redis 7 does. Its Lua lacks two things:
 *
 * - It rejects the first line `#!lua flags=…`. The flags are ignored here: it has neither `maxmemory` nor replicas.
 * - `%d` of its `string.format` writes integers of 32 bits only. `%.0f` writes larger ones, too.
 *
 * A script keeps its SHA-1, because only the text that runs is changed.
 */
export class JsRedisState extends RedisServerState {
  #runtime: Promise<RedisLuaRuntime> | null = null

  constructor(databaseCount: number) {
    super({ databaseCount })
    for (let id = 0; id < databaseCount; id++) readInPlace(this.getDatabase(id))
  }

  override getLuaRuntime(): Promise<RedisLuaRuntime> {
    this.#runtime ??= super.getLuaRuntime().then(runRedis7Scripts)
    return this.#runtime
  }
}

function runRedis7Scripts(runtime: RedisLuaRuntime): RedisLuaRuntime {
  const runScript = runtime.eval.bind(runtime)
  // The package passes the same buffer each time that a client names a script by its SHA-1.
  const adapted = new WeakMap<Buffer, Buffer>()
  runtime.eval = (script, ...rest) => {
    let text = adapted.get(script)
    if (text === undefined) {
      text = adaptScript(script)
      adapted.set(script, text)
    }
    return runScript(text, ...rest)
  }
  return runtime
}

/** Has no line break, so that errors keep the script's line numbers. */
const prelude = [
  'local string = setmetatable({',
  "format = function(text, ...) return string.format(string.gsub(text, '%%d', '%%.0f'), ...) end",
  '}, { __index = string }) '
].join(' ')

function adaptScript(script: Buffer): Buffer {
  // Latin-1 keeps each byte as it is.
  return Buffer.from(prelude + script.toString('latin1').replace(/^#!lua.*/, ''), 'latin1')
}
