import { loadConfig } from '@tollgate/service/config/load-config.ts'
import type { Static } from 'typebox'
import Type from 'typebox'
import { refuseProduction } from '../run-program.ts'

const Config = Type.Object({
  /** The port of the server on 127.0.0.1. */
  SANDBOX_REDIS_PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 6390 }),
  /** The server keeps its files in the folder `redis` of this directory. */
  TOLLGATE_DATA_DIR: Type.String({ default: '.tollgate' }),
  /** The absolute path of the program to run; if empty, redis-server or valkey-server on PATH. */
  REDIS_SERVER_PATH: Type.String({ default: '' }),
  PATH: Type.String({ default: '' })
})

/**
 * Reads the configuration from the environment.
 *
 * @throws ConfigError, or Error with `NODE_ENV=production`
 */
export function readRedisConfig(
  env: Record<string, string | undefined> = process.env
): Readonly<Static<typeof Config>> {
  refuseProduction(env)
  return loadConfig(Config, env)
}
